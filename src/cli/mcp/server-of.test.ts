import { describe, expect, test } from "vitest";
import { CATALOG } from "#engine/mcp-servers/catalog.data.ts";
import type { CatalogEntry } from "#engine/mcp-servers/catalog.ts";
import { serverFromCatalog, serverOf } from "./server-of.ts";

const none = { env: [], forwardHeader: [] };
const entry = (name: string): CatalogEntry => {
  const found = CATALOG.find((one) => one.name === name);
  if (!found) throw new Error(`the catalogue has no ${name}`);
  return found;
};

describe("a server that is added", () => {
  test("is a program when it is no address", () => {
    expect(serverOf("a", ["npx", "-y", "it", "--flag"], none, {})).toEqual({
      name: "a",
      type: "stdio",
      command: "npx",
      args: ["-y", "it", "--flag"],
      env_vars: {},
    });
  });

  test("at an address is spoken to over streamable HTTP unless it is told otherwise", () => {
    const url = "https://shop.example/mcp";
    expect(serverOf("a", [url], none, {})).toMatchObject({ type: "streamable-http", url });
    expect(serverOf("a", [url], { ...none, type: "sse" }, {})).toMatchObject({ type: "sse" });
  });

  test("has variables as given or from here, a token by name, and headers to forward", () => {
    const flags = { env: ["KEY", "A=b=c"], tokenEnv: "KEY", forwardHeader: ["X-User"] };
    expect(serverOf("a", ["https://a.example"], flags, { KEY: "secret" })).toMatchObject({
      env_vars: { KEY: "secret", A: "b=c" },
      auth_type: "api_key",
      auth_key_env: "KEY",
      forward_headers: ["X-User"],
    });
    const forwards = { ...none, forwardHeader: ["X-User"] };
    expect(serverOf("a", ["https://a.example"], forwards, {})).toMatchObject({
      auth_type: "forward_headers",
    });
  });

  test.each([
    ["nothing", [], none, "say what to add"],
    ["a variable that is not set", ["npx"], { ...none, env: ["GONE"] }, "GONE is not set"],
    ["an address with arguments", ["https://a.example", "x"], none, "takes no arguments"],
  ])("is refused: %s", (_why, target, flags, message) => {
    expect(() => serverOf("a", target, flags, {})).toThrow(message);
  });
});

describe("a server from the catalogue", () => {
  const from = (name: string, target: string[] = [], flags: object = {}) =>
    serverFromCatalog("a", entry(name), target, { ...none, ...flags }, {});

  test("is run as the catalogue says, with what is one's own in the place of examples", () => {
    expect(from("filesystem", ["/notes", "/more"])).toMatchObject({
      command: "npx",
      args: ["-y", "@modelcontextprotocol/server-filesystem", "/notes", "/more"],
    });
    expect(() => from("filesystem")).toThrow("-- DIR");
  });

  test("names the variables that it needs", () => {
    expect(() => from("brave-search")).toThrow("--env BRAVE_API_KEY=… (Brave Search API key)");
    expect(from("brave-search", [], { env: ["BRAVE_API_KEY=k"] })).toMatchObject({
      env_vars: { BRAVE_API_KEY: "k" },
    });
  });

  test("at an address sends its secret as bearer token", () => {
    expect(from("linear", [], { env: ["LINEAR_API_KEY=k"] })).toMatchObject({
      type: "streamable-http",
      url: "https://mcp.linear.app/mcp",
      auth_type: "api_key",
      auth_key_env: "LINEAR_API_KEY",
    });
  });

  test("can be had as a program or at an address, where there are both", () => {
    const env = ["STRIPE_SECRET_KEY=k"];
    expect(from("stripe", [], { env })).toMatchObject({ url: "https://mcp.stripe.com" });
    expect(from("stripe", [], { env, type: "stdio" })).toMatchObject({ command: "npx" });
    expect(() => from("linear", [], { type: "stdio" })).toThrow("not to be had as stdio");
  });

  test("asks for an address where everybody has another", () => {
    const env = ["WEBHOOK_TOKEN=k"];
    expect(() => from("webhook", [], { env })).toThrow("give it after the name");
    expect(from("webhook", ["https://n8n.example/mcp/1"], { env })).toMatchObject({
      url: "https://n8n.example/mcp/1",
    });
  });
});
