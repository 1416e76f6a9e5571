import { describe, expect, test } from "vitest";
import { isSecretName, mapSecretQuery } from "./secret-query.ts";

const masked = (url: string) => mapSecretQuery(url, () => "***");

describe("the secrets in an address's query", () => {
  test.each([
    ["https://a.example/mcp?api_key=s3cret", "https://a.example/mcp?api_key=***"],
    ["https://a.example/?q=1&Token=s&x=2#token=t", "https://a.example/?q=1&Token=***&x=2#token=t"],
    ["https://a.example/?api%5Fkey=s=t", "https://a.example/?api%5Fkey=***"],
    ["https://a.example/?sig=s&signal=1", "https://a.example/?sig=***&signal=1"],
    ["https://a.example/{{id}}?key=${KEY}&q={{q}}", "https://a.example/{{id}}?key=***&q={{q}}"],
  ])("are found by their names: %s", (url, expected) => {
    expect(masked(url)).toBe(expected);
  });

  test.each([
    "https://a.example/key=1",
    "https://a.example/?token",
    "https://a.example/?author=ann&keyword=tea&page=2",
    "https://a.example/?%=1",
    "",
  ])("are nowhere else: %s", (url) => {
    expect(masked(url)).toBe(url);
  });

  test("are told with their names as they are meant", () => {
    const found: string[][] = [];
    mapSecretQuery("https://a.example/?api%5Fkey=a%20b&token=", (value, name) => {
      found.push([name, value]);
      return value;
    });
    expect(found).toEqual([
      ["api_key", "a%20b"],
      ["token", ""],
    ]);
  });
});

test("names of secrets are told from those that only look like it", () => {
  for (const name of ["apiKey", "X-Auth", "access_token", "password", "cookie"])
    expect(isSecretName(name)).toBe(true);
  for (const name of ["author", "keyword", "signal", "page"])
    expect(isSecretName(name)).toBe(false);
});
