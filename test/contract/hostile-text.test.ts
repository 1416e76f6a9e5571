import { describe, expect, test } from "vitest";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import { ask } from "../support/turns.ts";

const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "'; DROP TABLE agents; --",
  '" OR "1"="1',
  "%' UNION SELECT * FROM tokens --",
  "{{7*7}} $(id) `id` #{1} %s %n",
  "../../etc/passwd\\..\\..",
  "line\r\nSet-Cookie: a=b",
  "tab\t bell\u0007 escape\u001b[31m del\u007f",
  "a\u0000b",
  "\u202eright to left\u202c \u200bzero \ufeffwidth",
  "e\u0301 \u{1f469}\u200d\u{1f680} \u{10ffff}",
  "__proto__",
  "null",
];

/** Each text field of the interface: how it is written, and how it is read again. */
const FIELDS: readonly (readonly [string, (app: ChatApp, text: string) => Promise<unknown>])[] = [
  [
    "an agent's prompt",
    async ({ admin }, system) => {
      await admin.patch("/agents/helper", { system });
      return (await admin.get("/agents/helper")).body.system_prompt;
    },
  ],
  [
    "an agent's tools",
    async ({ admin }, tool) => {
      await admin.patch("/agents/helper", { tools: [tool], confirm_before: [tool] });
      return (await admin.get("/agents/helper")).body.tools[0];
    },
  ],
  [
    "an agent's stop sequences",
    async ({ admin }, text) =>
      (await admin.patch("/agents/helper", { stop_sequences: [text] })).body.stop_sequences[0],
  ],
  [
    "a model's name at its provider",
    async ({ admin }, model_name) => {
      await admin.patch("/models/scripted", { model_name });
      return (await admin.get("/models")).body[0].model_name;
    },
  ],
  [
    "a model's extra body",
    async ({ admin }, text) => {
      await admin.patch("/models/scripted", { extra_body: { a: { b: [text] } } });
      return (await admin.get("/models")).body[0].extra_body.a.b[0];
    },
  ],
  [
    "a schema's description",
    async ({ admin }, description) => {
      await admin.patch("/schemas/support", { description });
      return (await admin.get("/schemas/support")).body.description;
    },
  ],
  [
    "a relation's config",
    async ({ admin }, text) => {
      await admin.post("/agents", { name: "clerk" });
      const ends = { source: "helper", target: "clerk" };
      const path = "/schemas/support/agent-relations";
      const { body } = await admin.post(path, { ...ends, config: { text } });
      const read = (await admin.get(`${path}/${body.id}`)).body.config.text;
      await admin.delete(`${path}/${body.id}`);
      return read;
    },
  ],
  [
    "a capability's config",
    async ({ admin }, text) => {
      const path = "/agents/helper/capabilities";
      const { body } = await admin.post(path, { type: "memory", config: { text } });
      const read = (await admin.get(path)).body[0].config.text;
      await admin.delete(`${path}/${body.id}`);
      return read;
    },
  ],
  [
    "a session's title and metadata",
    async ({ admin }, text) => {
      const fields = { title: text, metadata: { text: { deep: [text] } } };
      const { body } = await admin.post("/sessions", fields);
      const session = (await admin.get(`/sessions/${body.id}`)).body;
      expect(session.metadata).toEqual(fields.metadata);
      return session.title;
    },
  ],
  [
    "a session's user",
    async ({ admin }, user_sub) => {
      await admin.post("/sessions", { user_sub });
      const found = await admin.get(`/sessions?user_sub=${encodeURIComponent(user_sub)}`);
      expect(found.body.total).toBe(1);
      return found.body.data[0].user_sub;
    },
  ],
  [
    "a setting's value",
    async ({ admin }, value) => {
      await admin.put("/settings/my.own", { value });
      const list = (await admin.get("/settings")).body as { key: string; value: string }[];
      return list.find(({ key }) => key === "my.own")?.value;
    },
  ],
  [
    "a setting's key",
    async ({ admin }, key) => {
      await admin.put(`/settings/${encodeURIComponent(key)}`, { value: "x" });
      const list = (await admin.get("/settings")).body as { key: string }[];
      return list.find((setting) => setting.key === key)?.key;
    },
  ],
  [
    "a message and its answer",
    async (app, text) => {
      app.model.script({ text });
      const { session_id, one } = await ask(app.admin, { message: text });
      const events = (await app.admin.get(`/sessions/${session_id}/messages`)).body;
      expect(one("message").content).toBe(text);
      expect(events.at(-1).payload.content).toBe(text);
      return events[0].payload.content;
    },
  ],
];

describe("script, SQL and control characters are data", () => {
  test.each(FIELDS)("in %s", async (_what, roundTrip) => {
    const app = await startChatApp();
    for (const text of HOSTILE) expect(await roundTrip(app, text)).toBe(text);
    expect((await app.admin.get("/agents")).status).toBe(200);
  });

  test("in a token's name, trimmed", async () => {
    const { admin } = await startChatApp();
    for (const text of HOSTILE) {
      const { status, body } = await admin.post("/auth/tokens", { name: text, scopes: ["chat"] });
      expect([text, status]).toEqual([text, text.includes(":") ? 400 : 201]);
      if (status === 201) expect(body.name).toBe(text.trim());
    }
  });

  test("in a filter, which finds nothing by them", async () => {
    const { admin } = await startChatApp();
    await admin.post("/sessions", { user_sub: "ann" });
    for (const text of HOSTILE) {
      const query = new URLSearchParams({ user_sub: text, status: text, agent_name: text });
      expect((await admin.get(`/sessions?${query}`)).body.total).toBe(0);
      const calls = new URLSearchParams({ agent: text, tool: text, user_id: text, status: text });
      expect((await admin.get(`/audit/tool-calls?${calls}`)).body.total).toBe(0);
    }
  });

  test("and never a header of the answer", async () => {
    const { admin } = await startChatApp();
    for (const text of HOSTILE) {
      const answer = await admin.get(`/agents/${encodeURIComponent(text)}`);
      expect(answer.status).toBe(404);
      expect(answer.headers.get("Set-Cookie")).toBeNull();
      expect(answer.headers.get("Content-Type")).toMatch(/^application\/json/);
    }
  });
});
