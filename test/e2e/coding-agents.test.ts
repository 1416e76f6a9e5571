import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasBrowser, openBrowser, type Visit } from "../support/browser.ts";
import { run, serve, temporaryFolder } from "../support/executable.ts";
import { listenForCallback, oauthClient } from "../support/oauth-client.ts";

const RPC = "/api/v1/mcp/rpc";

async function clientWith(url: string, headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  onTestFinished(() => client.close());
  return client;
}

const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content[0]?.text ?? "";

const visible = ({ page }: Visit, selector: string) =>
  page.waitForSelector(selector, { visible: true });

describe.skipIf(!hasBrowser)("a coding agent that knows nothing but the address", () => {
  test("finds the way in, is consented to in a browser, makes an agent, and it answers", async () => {
    const server = await serve({ args: ["--demo"] });
    const data = ["--data-dir", server.data_dir];
    const callback = await listenForCallback();
    const editor = oauthClient(server.url + RPC, callback);
    await expect(editor.connect()).rejects.toThrow("Unauthorized");

    const visit = await openBrowser();
    await visit.page.goto(editor.consentUrl());
    await visible(visit, "#consent");
    const text = await visit.page.$eval("main", (main) => (main as HTMLElement).innerText);
    expect(text).toContain("Editor");
    expect(text).toContain(new URL(callback.redirect_url).host);
    expect(text).toContain(server.url + RPC);
    expect(
      await visit.page.$$eval(
        "input[type=radio]",
        (radios) => radios.filter((radio) => radio.checkVisibility()).length,
      ),
    ).toBe(1);
    // By the keyboard alone: the choice, then the first button.
    await visit.page.keyboard.press("Tab");
    await visit.page.keyboard.press("Tab");
    await visit.page.keyboard.press("Enter");
    const answer = Object.fromEntries(await callback.next());
    expect(answer).toEqual({
      code: expect.any(String),
      state: "state-of-the-client",
      iss: server.url,
    });
    expect(visit.complaints).toEqual([]);

    const client = await editor.connect(answer.code);
    const made = await client.callTool({
      name: "provision_agent",
      arguments: { name: "shop", system_prompt: "You help in a shop." },
    });
    expect(made.structuredContent).toMatchObject({ schema_name: "shop" });
    const chat = await run(["chat", "shop", "-m", "Hello?", "--json", ...data]);
    expect([chat.code, chat.stderr]).toEqual([0, ""]);

    // The access token runs out: the client refreshes by itself.
    const { refresh_token } = editor.tokens() ?? {};
    editor.loseAccessToken();
    const again = await editor.connect();
    expect(textOf(await again.callTool({ name: "admin_list_agents" }))).toContain("- shop (");
    expect(editor.tokens()?.refresh_token).not.toBe(refresh_token);

    // What takes more than it was given, it asks for.
    editor.loseRefreshToken();
    const destroy = { name: "admin_delete_agent", arguments: { name: "shop" } };
    await expect(again.callTool(destroy)).rejects.toThrow();
    await visit.page.goto(editor.consentUrl());
    await visible(visit, "#manage");
    await visit.page.click("input[value=manage]");
    await visit.page.click("button[value=allow]");
    const manager = await editor.connect((await callback.next()).get("code") ?? "");
    expect((await manager.callTool(destroy)).isError).toBeUndefined();
    expect((await run(["oauth", "list", ...data])).stdout).toContain("Editor");
    expect((await run(["oauth", "revoke", "Editor", ...data])).code).toBe(0);
    await expect(manager.callTool({ name: "admin_list_agents" })).rejects.toThrow();
  });

  test("is refused by a person, and learns it", async () => {
    const server = await serve();
    const callback = await listenForCallback();
    const editor = oauthClient(server.url + RPC, callback);
    await editor.connect().catch(() => undefined);
    const visit = await openBrowser();
    await visit.page.goto(editor.consentUrl());
    await visible(visit, "#consent");
    await visit.page.click("button[value=deny]");
    expect(Object.fromEntries(await callback.next())).toMatchObject({
      error: "access_denied",
      iss: server.url,
    });
  });

  test("needs a person with the secret where the server is open to a network", async () => {
    const server = await serve({ args: ["--host", "0.0.0.0"] });
    const url = server.url.replace("0.0.0.0", "127.0.0.1");
    const callback = await listenForCallback();
    const editor = oauthClient(url + RPC, callback);
    await editor.connect().catch(() => undefined);
    const visit = await openBrowser();
    await visit.page.goto(editor.consentUrl());
    await visible(visit, "#sign-in");
    const answer = async (secret: string) => {
      await visit.page.$eval("#secret", (input) => {
        (input as HTMLInputElement).value = "";
      });
      await visit.page.type("#secret", secret);
      await visit.page.click("#sign-in button");
    };
    await answer("a guess");
    await visible(visit, "#problem");
    const token = await run([
      "tokens",
      "create",
      "--name",
      "t",
      "--scope",
      "provision",
      "--data-dir",
      server.data_dir,
    ]);
    await answer(token.stdout.trim());
    await visit.page.waitForFunction(() =>
      document.getElementById("problem")?.textContent?.includes("not an administrator"),
    );
    expect(await visit.page.$eval("#consent", (form) => form.checkVisibility())).toBe(false);
    await answer(readFileSync(join(server.data_dir, "bootstrap-secret"), "utf8"));
    await visible(visit, "#consent");
    await visit.page.click("button[value=allow]");
    const client = await editor.connect((await callback.next()).get("code") ?? "");
    expect((await client.listTools()).tools.length).toBeGreaterThan(20);
  });
});

describe.skipIf(!hasBrowser)("a web page of somebody else", () => {
  test("can neither frame the consent page nor get a session", async () => {
    const server = await serve();
    const page_server = createServer((_request, response) => {
      response.setHeader("Content-Type", "text/html");
      response.end(`<iframe src="${server.url}/admin/oauth/consent"></iframe>`);
    }).listen(0, "127.0.0.1");
    await once(page_server, "listening");
    onTestFinished(() => void page_server.close());
    const { port } = page_server.address() as AddressInfo;
    const { page, complaints } = await openBrowser();
    await page.goto(`http://localhost:${port}/`, { waitUntil: "networkidle0" });
    const framed = page.frames().find((frame) => frame !== page.mainFrame());
    expect(await framed?.$("#consent").catch(() => null)).toBeNull();
    expect(complaints.join()).toMatch(/frame/i);
    const outcome = await page.evaluate(
      (url) =>
        fetch(url, { method: "POST" }).then(
          (response) => response.text(),
          (error) => String(error),
        ),
      `${server.url}/api/v1/auth/local-session`,
    );
    expect(outcome).not.toContain("access_token");
  });
});

describe("the setup instructions", () => {
  test("do what they say, from the first tool to the answer", async () => {
    const server = await serve({ args: ["--demo"] });
    const prompt = await (await fetch(`${server.url}/agent-setup/prompt.md`)).text();
    const card = (await (await fetch(`${server.url}/.well-known/mcp/server-card.json`)).json()) as {
      endpoint: string;
    };
    expect(prompt).toContain(`\`${card.endpoint}\``);
    const home = temporaryFolder();
    mkdirSync(home, { recursive: true });
    const env = { HOME: home };
    const written = await run(["setup", "cursor", "--write", "--data-dir", server.data_dir], {
      env,
    });
    expect([written.code, written.stderr]).toEqual([0, written.stderr]);
    const { mcpServers } = JSON.parse(readFileSync(join(home, ".cursor/mcp.json"), "utf8"));
    expect(mcpServers.troupe.url).toBe(card.endpoint);
    const client = await clientWith(mcpServers.troupe.url, mcpServers.troupe.headers);

    const calls = [...prompt.matchAll(/```json\n(.*?)\n```/gs)].map(([, json]) =>
      JSON.parse(json ?? ""),
    );
    expect(calls.length).toBeGreaterThan(6);
    let last = "";
    for (const call of calls) {
      const result = await client.callTool(call);
      expect([call.name, result.isError, textOf(result)]).toEqual([
        call.name,
        undefined,
        textOf(result),
      ]);
      last = textOf(result);
    }
    const CHAT_TOKEN = /data-api-key="(bb_\w+)"/.exec(last)?.[1];
    const [, script = ""] = /```sh\n(.*?)\n```/s.exec(prompt) ?? [];
    const ready = async () => {
      const list = { name: "admin_list_documents", arguments: { kb_name: "shop-manual" } };
      return textOf(await client.callTool(list)).includes('"ready"');
    };
    await expect.poll(ready, { timeout: 20_000 }).toBe(true);
    const answer = execFileSync("sh", ["-e", "-c", script], {
      env: { ...process.env, CHAT_TOKEN },
      encoding: "utf8",
    });
    expect(JSON.parse(answer).message).toContain("thirty days");
    expect(JSON.parse(answer).error).toBeUndefined();
  });
});

describe("troupe setup", () => {
  test("knows the common coding agents, and what it can't do it says before it makes a token", async () => {
    const server = await serve();
    const data = ["--data-dir", server.data_dir];
    const env = { HOME: temporaryFolder() };
    const listed = JSON.parse((await run(["setup", "--list", "--json"], { env })).stdout);
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([
      "claude-code",
      "codex",
      "cursor",
      "gemini",
      "opencode",
      "vscode",
    ]);
    expect((await run(["setup", "emacs", ...data], { env })).code).toBe(2);
    expect((await run(["setup", "codex", "--scope", "admin", ...data], { env })).code).toBe(2);
    const nowhere = await run(["setup", "codex", "--data-dir", temporaryFolder()], { env });
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining("troupe serve")]);
    expect((await run(["setup", "codex", "--oauth", ...data], { env })).stdout).toBe(
      `[mcp_servers.troupe]\nurl = "${server.url}${RPC}"\n`,
    );
    expect(JSON.parse((await run(["tokens", "list", "--json", ...data])).stdout)).toEqual([]);

    const first = JSON.parse(
      (await run(["setup", "vscode", "--scope", "manage", "--json", ...data], { env })).stdout,
    );
    const { headers } = JSON.parse(first.snippet).servers.troupe;
    const { tools } = await (await clientWith(first.url, headers)).listTools();
    expect(tools.map(({ name }) => name)).toContain("admin_delete_agent");
    await run(["setup", "vscode", ...data], { env });
    const tokens = JSON.parse((await run(["tokens", "list", "--json", ...data])).stdout);
    expect(tokens.map(({ name }: { name: string }) => name)).toEqual(["vscode", "vscode-2"]);
  });
});
