import { describe, expect, test } from "vitest";
import { grants, maskOf, maskOfName, scopesOf } from "./scope.ts";

describe("scopes", () => {
  test("admin satisfies every scope", () => {
    expect(grants(maskOf(["admin"]), "models:write")).toBe(true);
  });

  test("a read scope does not grant the write scope", () => {
    expect(grants(maskOf(["models:read"]), "models:write")).toBe(false);
  });

  test("a resource's short name means read-only access to it", () => {
    expect(scopesOf(maskOfName("agents") ?? 0)).toEqual(["agents:read"]);
  });

  test("api has no configuration writes", () => {
    const scopes = scopesOf(maskOfName("api") ?? 0);
    expect(scopes).toContain("chat");
    expect(scopes.filter((scope) => scope.endsWith(":write"))).toEqual([]);
  });

  test("manage is provision and destructive authority", () => {
    expect(maskOfName("manage")).toBe((maskOfName("provision") ?? 0) | maskOf(["manage"]));
  });

  test.each(["constructor", "__proto__", "agents:delete", ""])("%j is no scope", (name) => {
    expect(maskOfName(name)).toBeUndefined();
  });
});
