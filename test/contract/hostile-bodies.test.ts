import { describe, expect, test } from "vitest";
import { routesOf } from "#server/routes/all.ts";
import { startChatApp } from "../support/chat.ts";

const WRITES = routesOf({ bootstrap_secret: undefined }).filter(({ method }) => method !== "GET");
const pathOf = (path: string) =>
  path
    .replace("/agents/:name", "/agents/helper")
    .replace("/schemas/:name", "/schemas/support")
    .replace("/models/:name", "/models/scripted")
    .replace(/:\w+/g, "55555555-5555-4555-8555-555555555555");

describe("a body", () => {
  test.each(WRITES.map(({ method, path }) => [`${method} ${path}`, method, path] as const))(
    "that reaches for prototypes does nothing to %s",
    async (_name, method, path) => {
      const { admin } = await startChatApp();
      const evil = '{"polluted":true,"isAdmin":true}';
      const body = `{"__proto__":${evil},"constructor":{"prototype":${evil}},"prototype":${evil},
        "metadata":{"__proto__":${evil}},"config":{"__proto__":${evil}},"extra_body":{"__proto__":${evil}}}`;
      const send = admin[method.toLowerCase() as "post" | "put" | "patch" | "delete"];
      const answer = await send(pathOf(path), body);
      expect(answer.status).toBeLessThan(500);
      expect(answer.text).not.toContain("polluted");
      expect({}).not.toHaveProperty("polluted");
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );

  test("keeps such names as data where any name may stand, except the one that is no data", async () => {
    const { admin } = await startChatApp();
    const { body } = await admin.post(
      "/sessions",
      '{"metadata":{"constructor":1,"prototype":"p","__proto__":{"x":1},"a":{"__proto__":2,"b":3}}}',
    );
    expect(body.metadata).toEqual({ constructor: 1, prototype: "p", a: { b: 3 } });
    expect((await admin.get(`/sessions/${body.id}`)).body.metadata).toEqual(body.metadata);
  });

  const FREE: readonly (readonly [
    string,
    "post" | "put" | "patch",
    string,
    (deep: string) => string,
  ])[] = [
    ["metadata", "post", "/sessions", (deep) => `{"metadata":{"a":${deep}}}`],
    ["an extra body", "patch", "/models/scripted", (deep) => `{"extra_body":{"a":${deep}}}`],
    [
      "a config",
      "post",
      "/agents/helper/capabilities",
      (deep) => `{"type":"memory","config":{"a":${deep}}}`,
    ],
    [
      "a form's answer",
      "post",
      "/schemas/support/chat",
      (deep) => `{"resume_interrupt":{"interrupt_id":"x","payload":${deep}}}`,
    ],
    [
      "a field that nobody knows",
      "put",
      "/settings/my.own",
      (deep) => `{"value":"x","other":${deep}}`,
    ],
    ["a text field", "patch", "/agents/helper", (deep) => `{"system":${deep}}`],
  ];

  test.each(FREE)("may nest %s, but not without end", async (_what, method, path, around) => {
    const { admin } = await startChatApp();
    for (const depth of [1_000, 3_000, 5_000, 10_000, 400_000]) {
      for (const deep of [
        "[".repeat(depth) + "]".repeat(depth),
        `${'{"a":'.repeat(depth / 5)}1${"}".repeat(depth / 5)}`,
      ]) {
        const answer = await admin[method](path, around(deep));
        expect([depth, answer.status, answer.body.error]).toEqual([depth, 400, "bad_request"]);
        expect(answer.text.length).toBeLessThan(1_000);
      }
    }
    const sound = await admin[method](path, around(`${"[".repeat(20)}1${"]".repeat(20)}`));
    expect(sound.text).not.toContain("nest");
  });

  test.each([
    ["max_steps", "1e999"],
    ["max_steps", "9007199254740993"],
    ["max_steps", "-0.5"],
    ["max_context_size", "1e308"],
    ["temperature", "1e999"],
    ["temperature", "-1e-320"],
    ["max_tokens", "1.5"],
    ["model_id", "1e999"],
    ["model_id", "9007199254740993"],
    ["model_id", "-1"],
  ])("with the number %s: %s is refused", async (field, number) => {
    const { admin } = await startChatApp();
    const answer = await admin.patch("/agents/helper", `{"${field}":${number}}`);
    expect([400, 404]).toContain(answer.status);
  });

  test("that is no UTF-8 is taken or refused, and the server goes on", async () => {
    const app = await startChatApp();
    const token = await app.signJwt({ sub: "a", scope: "admin" });
    const bytes = Buffer.concat([
      Buffer.from('{"title":"'),
      Buffer.from([0xff, 0xc3, 0x28]),
      Buffer.from('"}'),
    ]);
    const answer = await app.fetch("/sessions", {
      method: "POST",
      body: bytes,
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBeLessThan(500);
  });

  test.each(["text/plain", "application/xml", "multipart/form-data; boundary=x", "", "a/b/c"])(
    "of JSON is taken whatever its type is called: %s",
    async (type) => {
      const app = await startChatApp();
      const token = await app.signJwt({ sub: "a", scope: "admin" });
      const answer = await app.fetch("/sessions", {
        method: "POST",
        body: '{"title":"x"}',
        headers: { Authorization: `Bearer ${token}`, "Content-Type": type },
      });
      expect(answer.status).toBe(201);
    },
  );
});

describe("a query", () => {
  test.each([
    "page=2&page=1",
    "page=&per_page=",
    "page=0x10&per_page=1e2",
    "page=%00&per_page=%F0%9F%98%80",
    "page=99999999999999999999&per_page=-99999999999999999999",
    "page[]=1&page[a]=2",
    "status=active&status=failed",
    "from=&to=",
    "unknown=1&__proto__=2&constructor=3",
  ])("of nonsense gets a page: %s", async (query) => {
    const { admin } = await startChatApp();
    for (const path of ["/sessions", "/audit/tool-calls"]) {
      const { status, body } = await admin.get(`${path}?${query}`);
      expect(status).toBe(200);
      expect(body.per_page).toBeGreaterThan(0);
      expect(body.per_page).toBeLessThanOrEqual(100);
    }
  });

  test.each([
    "0000-00-00",
    "2026-02-30",
    "2026-13-01",
    "+275760-09-13",
    "now",
    "1772366400",
    "2026-03-01T00:00:00",
  ])("with a date that is none is refused: %s", async (date) => {
    const { admin } = await startChatApp();
    for (const path of ["/sessions", "/audit/tool-calls"]) {
      for (const field of ["from", "to"]) {
        const answer = await admin.get(`${path}?${field}=${encodeURIComponent(date)}`);
        expect(answer).toMatchObject({ status: 400, body: { error: "bad_request" } });
        expect(answer.body.message).toContain(field);
      }
    }
  });
});
