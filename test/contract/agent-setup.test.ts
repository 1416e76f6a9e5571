import { describe, expect, test } from "vitest";
import { startTestApp } from "../support/app.ts";
import { connectMcp } from "../support/mcp.ts";

const CARD = "/.well-known/mcp/server-card.json";
const PROMPT = "/agent-setup/prompt.md";

describe("the server card", () => {
  test("says where the endpoint is, what it speaks, and how to get in", async () => {
    const app = await startTestApp();
    const { status, body } = await (await app.as("nobody")).get(CARD);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: "troupe",
      version: "0.0.0-test",
      endpoint: "http://127.0.0.1/api/v1/mcp/rpc",
      transport: "streamable-http",
      capabilities: { tools: {} },
      authentication: { schemes: ["bearer", "oauth2"], scopes: ["provision", "manage"] },
    });
    const client = await connectMcp(app, await app.token("provision"));
    expect(client.getServerVersion()).toMatchObject({ name: body.name, title: body.title });
    expect(client.getInstructions()).toBe(body.instructions);
  });

  test("gives the path alone where the address can't be known", async () => {
    const app = await startTestApp();
    const answer = await app.fetch(CARD, { headers: { Host: "unknown.example" } });
    expect(await answer.json()).toMatchObject({
      endpoint: "/api/v1/mcp/rpc",
      authentication: { schemes: ["bearer"] },
    });
  });
});

describe("the setup instructions", () => {
  test("are for the configured address, in Markdown that may be kept for a while", async () => {
    const app = await startTestApp({ public_url: "https://agents.example.com" });
    const { status, headers, text } = await (await app.as("nobody")).get(PROMPT);
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toBe("text/markdown; charset=utf-8");
    expect(headers.get("Cache-Control")).toBe("public, max-age=300");
    expect(text).toContain("https://agents.example.com/api/v1/mcp/rpc");
    expect(text).not.toContain("127.0.0.1");
    expect(text).not.toContain("{{");
    for (const agent of ["Claude Code", "Codex", "Cursor", "Gemini CLI", "opencode", "VS Code"]) {
      expect(text).toContain(agent);
    }
  });

  test("are for the address that was asked at otherwise, and then kept for nobody else", async () => {
    const app = await startTestApp();
    const answer = await app.fetch(PROMPT, {
      headers: { Host: "agents.internal:8443", "X-Forwarded-Proto": "https" },
    });
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(await answer.text()).toContain("https://agents.internal:8443/api/v1/mcp/rpc");
  });

  test("speak of consent in the browser only where there is one", async () => {
    const text = async (has_oauth: boolean) =>
      (await (await startTestApp({ has_oauth })).fetch(PROMPT)).text();
    expect(await text(true)).toContain("In the browser");
    expect(await text(false)).not.toContain("In the browser");
  });
});
