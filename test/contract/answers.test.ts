import { describe, expect, test } from "vitest";
import { startTestApp } from "../support/app.ts";
import { startChatApp } from "../support/chat.ts";

const LISTS = [
  "/agents",
  "/models",
  "/schemas",
  "/auth/tokens",
  "/admin/usage-limits",
  "/models?kind=embedding",
];
const PAGES = [
  ["/sessions", 20],
  ["/audit/tool-calls", 50],
] as const;

describe("nothing is told as nothing", () => {
  test.each(LISTS)("%s is an empty list at first", async (path) => {
    const admin = await (await startTestApp()).as("admin");
    expect(await admin.get(path)).toMatchObject({ status: 200, text: "[]" });
  });

  test.each(PAGES)("%s is an empty page at first", async (path, per_page) => {
    const admin = await (await startTestApp()).as("admin");
    const { status, body } = await admin.get(path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: [], total: 0, page: 1, per_page, total_pages: 0 });
    expect("per_page_max" in body).toBe(path === "/sessions");
  });

  test("what belongs to a resource is an empty list, too", async () => {
    const { admin } = await startChatApp();
    for (const path of [
      "/agents/helper/capabilities",
      "/schemas/support/agent-relations",
      "/schemas/support/memory",
    ]) {
      expect(await admin.get(path)).toMatchObject({ status: 200, text: "[]" });
    }
    await admin.patch("/schemas/support", { entry_agent_id: "" });
    expect((await admin.get("/schemas/support/agents")).text).toBe("[]");
    const { id } = (await admin.post("/sessions", {})).body;
    expect((await admin.get(`/sessions/${id}/messages`)).text).toBe("[]");
  });
});

/** By `METHOD /path`, the status of a success (contract 4); `:` stands for what was made last. */
const ANSWERS: readonly (readonly [string, object | undefined, number])[] = [
  ["POST /models", { name: "m", type: "demo", model_name: "demo" }, 201],
  ["PATCH /models/m", { model_name: "demo" }, 200],
  ["PUT /models/m", { type: "demo", kind: "chat", model_name: "demo" }, 200],
  ["POST /models/m/verify", undefined, 200],
  ["DELETE /models/m", undefined, 204],
  ["POST /agents", { name: "a" }, 201],
  ["PATCH /agents/a", {}, 200],
  ["PUT /agents/a", { system: "x" }, 200],
  ["POST /agents/a/capabilities", { type: "memory" }, 201],
  ["PUT /agents/a/capabilities/:", { enabled: false }, 204],
  ["DELETE /agents/a/capabilities/:", undefined, 204],
  ["POST /schemas", { name: "s", entry_agent_id: "a" }, 201],
  ["PATCH /schemas/s", {}, 204],
  ["PUT /schemas/s", { name: "s" }, 204],
  ["POST /schemas/s/agent-relations", { source: "a", target: "helper" }, 201],
  ["PUT /schemas/s/agent-relations/:", { source: "helper", target: "a" }, 204],
  ["DELETE /schemas/s/agent-relations/:", undefined, 204],
  ["DELETE /schemas/s/memory", undefined, 204],
  ["DELETE /agents/a", undefined, 204],
  ["DELETE /schemas/s", undefined, 204],
  ["POST /sessions", {}, 201],
  ["PUT /sessions/:", { title: "x" }, 200],
  ["POST /sessions/:/cancel", undefined, 200],
  ["DELETE /sessions/:", undefined, 204],
  ["PUT /settings/my.own", { value: "x" }, 200],
  ["POST /auth/tokens", { name: "t", scopes: ["chat"] }, 201],
  ["DELETE /auth/tokens/:", undefined, 204],
  [
    "PUT /admin/usage-limits",
    { scope: "tenant", unit: "turns", limit_value: 9, interval_seconds: 9 },
    200,
  ],
  ["DELETE /admin/usage-limits/tenant", undefined, 200],
  ["POST /auth/local-session/refresh", undefined, 200],
];

test("each change answers with its status: what was made, what changed, or nothing", async () => {
  const { admin } = await startChatApp();
  const given = await admin.post("/models", { name: "second", type: "demo", model_name: "demo" });
  expect(given.status).toBe(201);
  let id = "";
  for (const [request, body, status] of ANSWERS) {
    const [method = "", path = ""] = request.split(" ");
    const send = admin[method.toLowerCase() as "post" | "put" | "patch" | "delete"];
    const answer = await send(path.replace(":", id), body);
    expect([request, answer.status]).toEqual([request, status]);
    expect([request, answer.text === ""]).toEqual([request, status === 204]);
    const type = answer.headers.get("Content-Type");
    expect([request, type]).toEqual([request, status === 204 ? null : "application/json"]);
    id = answer.body?.id ?? id;
  }
});

test("each change answers 404 in the error shape when there is nothing to change", async () => {
  const { admin } = await startChatApp();
  const unknown = "55555555-5555-4555-8555-555555555555";
  for (const [request, body] of ANSWERS) {
    const [method = "", path = ""] = request.split(" ");
    // What is created, or put by a key of its own, was missing rightly.
    if (method === "POST" || /^\/(settings|admin\/usage-limits$)/.test(path)) continue;
    const send = admin[method.toLowerCase() as "post" | "put" | "patch" | "delete"];
    const answer = await send(path.replace(":", unknown), body);
    expect([request, answer.status, answer.body?.error]).toEqual([request, 404, "not_found"]);
  }
});

describe("an end user's sessions", () => {
  test("are theirs, whatever they say, and they may change and delete them", async () => {
    const { as, asUser } = await startChatApp();
    const [ann, bob, admin] = [await asUser("ann"), await asUser("bob"), await as("admin")];
    const { body } = await ann.post("/sessions", { user_sub: "bob", title: "Mine" });
    expect(body.user_sub).toBe("ann");
    await bob.post("/sessions", {});
    for (const query of ["", "?user_sub=bob", "?user_sub="]) {
      const list = (await ann.get(`/sessions${query}`)).body;
      expect([list.total, list.data[0].id]).toEqual([1, body.id]);
    }
    expect((await ann.put(`/sessions/${body.id}`, { title: "New" })).body.title).toBe("New");
    expect((await bob.delete(`/sessions/${body.id}`)).status).toBe(404);
    expect((await admin.get("/sessions")).body.total).toBe(2);
    expect((await admin.get("/sessions?user_sub=bob")).body.total).toBe(1);
    expect((await ann.delete(`/sessions/${body.id}`)).status).toBe(204);
    expect((await ann.get(`/sessions/${body.id}`)).status).toBe(404);
  });

  test("are open to every token with the scope, whoever's they are", async () => {
    const { as, asUser } = await startChatApp();
    const { id } = (await (await asUser("ann")).post("/sessions", {})).body;
    const [reader, writer] = [await as(["sessions"]), await as(["sessions:write"])];
    expect((await reader.get("/sessions")).body.total).toBe(1);
    expect((await reader.get(`/sessions/${id}`)).status).toBe(200);
    expect((await reader.delete(`/sessions/${id}`)).status).toBe(403);
    expect((await writer.get(`/sessions/${id}`)).status).toBe(403);
    expect((await writer.delete(`/sessions/${id}`)).status).toBe(204);
  });
});
