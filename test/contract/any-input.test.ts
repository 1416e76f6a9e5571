import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Route } from "#server/http/route.ts";
import { routesOf } from "#server/routes/all.ts";
import { type ChatApp, startChatApp } from "../support/chat.ts";

const ROUTES = routesOf({ bootstrap_secret: undefined }).filter(
  // A followed session never ends; its input has tests of its own.
  ({ operation }) => operation.name !== "sessions.follow",
);
const NAMED = ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);

const strange = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "__proto__", "constructor", "' OR 1=1 --", "\u0000", "\u202e", "\ud800"),
  fc.constantFrom("9".repeat(400), "../..", "%", "%00", "a/b", "?", "#", ";", "null", "undefined"),
  fc.constantFrom("helper", "support", "scripted", "demo", "2026-01-01", "-1", "1e999", "NaN"),
  fc.uuid(),
);
const value = fc.oneof(strange, fc.jsonValue({ maxDepth: 3 }), fc.integer(), fc.double());

const fieldsOf = ({ operation }: Route): string[] =>
  Object.keys(
    z.toJSONSchema(operation.input, { io: "input", unrepresentable: "any" }).properties ?? {},
  );

/** The fields that the route knows, some of them, with values that it may not expect. */
const bodyOf = (route: Route) =>
  fc.dictionary(fc.oneof(fc.constantFrom(...fieldsOf(route), "rename", "id"), strange), value, {
    maxKeys: 8,
  });

/** Some fields twice. */
const queryOf = (route: Route) =>
  fc
    .array(
      fc.tuple(fc.oneof(fc.constantFrom(...fieldsOf(route), "page", "per_page"), strange), strange),
      {
        maxLength: 8,
      },
    )
    .map((pairs) => new URLSearchParams(pairs).toString());

/** As it stands in a URL: right, or not encoded as it should be. */
const segment = fc.oneof(
  strange.map((text) => encodeURIComponent(text.toWellFormed() || "x")),
  fc.constantFrom(
    "%ZZ",
    "%C3%28",
    "%FF",
    "%00",
    "%2e%2e",
    "%2F",
    "+",
    "a%20b",
    "helper",
    "support",
  ),
);

/** Text that is a body or only nearly one, and bytes that are no text. */
const rawBody = fc.oneof(
  fc.json(),
  fc.string(),
  fc.uint8Array(),
  fc.constantFrom("{", "[]", "null", "7", '"text"', '{"a":NaN}', '{"a":1e999}', '{"a":1,"a":2}'),
  fc.constantFrom('{"name":"a"}}', "{'name':'a'}", '\ufeff{"name":"a"}', '{"__proto__":{"x":1}}'),
);

const contentType = fc.constantFrom(
  undefined,
  "application/json",
  "application/json; charset=utf-16",
  "text/plain",
  "multipart/form-data",
  "application/x-www-form-urlencoded",
  "nonsense",
);

/** Sends what `fetch` can send, as an administrator; the answer must be a success or a refusal. */
async function expectSound(app: ChatApp, token: string, path: string, init: RequestInit) {
  const headers = { Authorization: `Bearer ${token}`, ...init.headers };
  const answer = await app.fetch(path, { ...init, headers });
  const text = await answer.text();
  expect([init.method, path, answer.status < 500]).toEqual([init.method, path, true]);
  if (answer.status < 400) return;
  expect(JSON.parse(text)).toMatchObject({
    error: expect.stringMatching(/^[a-z_]+$/),
    message: expect.stringMatching(/./),
    request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
}

test.each(NAMED)(
  "%s answers anything with a success or a refusal in the right shape",
  async (_name, route) => {
    const app = await startChatApp();
    const token = await app.signJwt({ sub: "local-admin", scope: "admin" });
    const input = fc.record({
      segments: fc.array(segment, { minLength: 3, maxLength: 3 }),
      query: queryOf(route),
      body: fc.oneof(
        { weight: 3, arbitrary: bodyOf(route).map(toJson) },
        { weight: 1, arbitrary: rawBody },
      ),
      type: contentType,
    });
    await fc.assert(
      fc.asyncProperty(input, async ({ segments, query, body, type }) => {
        const places = [...segments];
        const path = route.path.replace(/:\w+/g, () => places.shift() ?? "x");
        await expectSound(app, token, `${path}?${query}`, {
          method: route.method,
          ...(type === undefined ? {} : { headers: { "Content-Type": type } }),
          ...(route.method === "GET" ? {} : { body: body as string }),
        });
      }),
      { numRuns: 120 },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  },
);

/** Numbers that JSON has no word for become ones that are too large for any. */
const toJson = (body: Record<string, unknown>): string =>
  JSON.stringify(body, (_key, each) =>
    typeof each === "number" && !Number.isFinite(each) ? "1e999" : each,
  ).replaceAll('"1e999"', "1e999");
