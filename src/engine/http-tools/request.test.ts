import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EngineError } from "../kernel/error.ts";
import { buildRequest } from "./request.ts";

const variables = { HOST: "https://shop.example", TOKEN: "t-secret" };

describe("a request that a model fills", () => {
  test("goes to the declared host and below the declared path, whatever it is given", () => {
    const definition = {
      url: "${HOST}/parcels/{{id}}/claims?by={{by}}#{{by}}",
      auth: { type: "bearer" as const, token: "${TOKEN}" },
    };
    const hostile = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("..", ".", "%2e%2e", "../..", "/", "\\", "?", "#", "@evil.example", "//evil"),
      fc.constantFrom("${TOKEN}", "{{by}}", "\r\nX-Evil: 1", "\ud800"),
    );
    fc.assert(
      fc.property(hostile, hostile, (id, by) => {
        try {
          const { url, headers } = buildRequest(definition, { variables, args: { id, by } });
          const { origin, pathname } = new URL(url);
          expect(origin).toBe("https://shop.example");
          expect(pathname).toMatch(/^\/parcels\/[^/]+\/claims$/);
          expect(url).not.toContain("t-secret");
          expect(headers).toEqual({ Authorization: "Bearer t-secret" });
        } catch (error) {
          expect(error).toBeInstanceOf(EngineError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["https://a.example/%2e{{x}}/b", "."],
    ["https://a.example/.{{x}}/b", "."],
  ])("%s takes no step with %j", (url, x) => {
    expect(() => buildRequest({ url }, { variables, args: { x } })).toThrow("another path");
  });
});
