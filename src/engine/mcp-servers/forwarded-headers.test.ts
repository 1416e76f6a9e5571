import { describe, expect, test } from "vitest";
import { forwardable, isForwardable } from "./forwarded-headers.ts";

describe("a header that is sent along", () => {
  test.each([
    "Authorization",
    "cookie",
    "HOST",
    "Connection",
    "TE",
    "Transfer-Encoding",
    "Content-Length",
    "Proxy-Authorization",
    "Mcp-Session-Id",
    "X-Model-API-Key",
    "X-BYOK-API-Key",
    "Sec-Fetch-Site",
    "a b",
    "a:b",
    "a\r\nb",
    "",
  ])("is never %j", (name) => {
    expect(isForwardable(name)).toBe(false);
  });

  test("has a value that is one line, and a name in lower case", () => {
    const headers = { "X-One": "1", "x-two": "a\r\nb", "X-Three": "a\0b", "X-Four": "ünï" };
    expect(forwardable({ ...headers, "X-Five": "漢" })).toEqual({ "x-one": "1", "x-four": "ünï" });
  });
});
