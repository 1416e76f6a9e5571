import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Route } from "#server/http/route.ts";
import { routesOf } from "#server/routes/all.ts";
import { startChatApp } from "../support/chat.ts";

const ROUTES = routesOf({ bootstrap_secret: undefined }).filter(
  // A followed session never ends; its input has tests of its own.
  ({ operation }) => operation.name !== "sessions.follow",
);

const strange = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    "__proto__",
    "constructor",
    "' OR 1=1 --",
    "\u0000",
    "\u202e",
    "9".repeat(400),
  ),
  fc.constantFrom("helper", "support", "scripted", "demo", "2026-01-01", "-1", "1e999", "NaN"),
  fc.uuid(),
);
const value = fc.oneof(strange, fc.jsonValue({ maxDepth: 2 }), fc.integer(), fc.double());

const fieldsOf = ({ operation }: Route): string[] =>
  Object.keys(
    z.toJSONSchema(operation.input, { io: "input", unrepresentable: "any" }).properties ?? {},
  );

/** The fields that the route knows, some of them, with values that it may not expect. */
const bodyOf = (route: Route) =>
  fc.dictionary(fc.oneof(fc.constantFrom(...fieldsOf(route), "rename", "id"), strange), value, {
    maxKeys: 8,
  });

const queryOf = (body: Record<string, unknown>) =>
  new URLSearchParams(
    Object.entries(body).map(([key, each]) => [
      key,
      typeof each === "string" ? each : (JSON.stringify(each) ?? ""),
    ]),
  );

test.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  "%s answers anything with a success or a refusal in the right shape",
  async (_name, route) => {
    const { as } = await startChatApp();
    const admin = await as("admin");
    await fc.assert(
      fc.asyncProperty(bodyOf(route), strange, async (body, segment) => {
        const path = route.path.replace(/:\w+/, () => encodeURIComponent(segment || "x"));
        const method = route.method.toLowerCase() as "get" | "post" | "put" | "patch" | "delete";
        const answer =
          method === "get"
            ? await admin.get(`${path}?${queryOf(body)}`)
            : await admin[method](path, body);
        expect(answer.status).toBeLessThan(500);
        if (answer.status < 400) return;
        expect(answer.body).toMatchObject({
          error: expect.any(String),
          message: expect.any(String),
        });
      }),
      { numRuns: 100 },
    );
  },
);
