import { APICallError } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { EngineError } from "../kernel/error.ts";
import { describeModelError } from "./errors.ts";

const connection = {
  type: "openai_compatible",
  model_name: "large",
  base_url: "http://127.0.0.1:9999/v1",
  api_key: "sk-secret-key-0123456789",
};

const apiError = (statusCode: number | undefined, responseBody: string, responseHeaders = {}) =>
  new APICallError({
    message: "call failed",
    url: `${connection.base_url}/chat?key=${connection.api_key}`,
    requestBodyValues: { messages: ["private words"] },
    responseBody,
    responseHeaders,
    ...(statusCode === undefined ? {} : { statusCode }),
  });

const describeError = (thrown: unknown) => describeModelError(thrown, connection);

describe("a model's failure", () => {
  test("that is an EngineError already stays what it is", () => {
    const error = new EngineError("timeout", "silent");
    expect(describeError(error)).toBe(error);
  });

  test("of the network names the address and what to look at, however deep its cause is", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    const both = Object.assign(new Error("all failed"), { errors: [refused] });
    const fetched = new TypeError("fetch failed", { cause: both });
    expect(describeError(fetched)).toMatchObject({
      code: "model_error",
      message:
        "cannot reach the model server at http://127.0.0.1:9999/v1: connection refused; is it running?",
    });
  });

  test.each([
    [401, '{"error":{"message":"bad key"}}', "refused the key (401): bad key"],
    [404, '{"error":"no such model"}', 'has no model "large" (404): no such model'],
    [429, "slow down", "over its limit (429)"],
    [500, "<html><script>alert(1)</script><h1>Oops</h1></html>", "answered 500: Oops"],
    [503, "", "answered 503"],
  ])("with status %d tells what the server said", (status, body, text) => {
    expect(describeError(apiError(status, body)).message).toContain(text);
  });

  test("takes over when to try again", () => {
    expect(describeError(apiError(429, "", { "retry-after": "7" })).retry_after_s).toBe(7);
    expect(describeError(apiError(429, "", { "retry-after": "-1" })).retry_after_s).toBeUndefined();
    expect(
      describeError(apiError(429, "", { "retry-after": "soon" })).retry_after_s,
    ).toBeUndefined();
  });

  test.each([
    "key sk-secret-key-0123456789 is wrong",
    "key sk-secre***** is wrong",
    "key *****23456789 is wrong",
    "got header Authorization: Bearer sk-secret-key-0123456789",
  ])("never repeats the key: %s", (body) => {
    const { message } = describeError(apiError(401, body));
    expect(message).not.toMatch(/sk-secre|23456789/);
    expect(message).not.toContain("private words");
  });

  test("is cut to a readable length and one line", () => {
    const { message } = describeError(apiError(500, `a\n\u001b[31mb\u0007${"x".repeat(10_000)}`));
    expect(message.length).toBeLessThan(500);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(message).not.toMatch(/[\u0000-\u001f]/);
  });
});
