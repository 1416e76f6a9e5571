import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "#server/listen.ts";
import { mountMcp } from "#server/mcp/endpoint.ts";
import { startTestApp } from "../support/app.ts";
import { createFixtureServer } from "../support/conformance/fixture-server.ts";
import { tokenProxy } from "../support/conformance/token-proxy.ts";
import { run, serve, temporaryFolder } from "../support/executable.ts";
import { quietLog } from "../support/log.ts";

const RPC = "/api/v1/mcp/rpc";
const ROOT = resolve(import.meta.dirname, "../..");
const BIN = `${ROOT}/node_modules/.bin`;
const REVISION = "2025-11-25";

/** A tool of the project's, by its name among the installed programs. */
const program = (
  name: string,
  args: readonly string[],
): Promise<{ code: number; output: string }> =>
  new Promise((done) => {
    const options = {
      cwd: temporaryFolder(),
      env: { ...process.env, PATH: `${BIN}:${process.env.PATH}` },
    };
    execFile(`${BIN}/${name}`, args, options, (error, stdout, stderr) => {
      const code = error ? Number(error.code ?? 1) : 0;
      done({ code, output: stdout + stderr });
    });
  });

const conformance = (url: string, expected: string) =>
  program("conformance", [
    "server",
    ...["--url", url],
    ...["--requirements", REVISION],
    ...["--expected-failures", `${ROOT}/test/support/conformance/${expected}`],
  ]);

/** The runner's summary, when it is not satisfied. */
const failures = (code: number, output: string): string =>
  code === 0 ? "" : output.slice(Math.max(0, output.indexOf("=== SUMMARY")));

async function productWithToken() {
  const server = await serve({ args: ["--demo"] });
  const token = await run([
    "tokens",
    "create",
    "--name",
    "t",
    "--scope",
    "manage",
    "--data-dir",
    server.data_dir,
  ]);
  return { url: server.url, token: token.stdout.trim() };
}

test("the product conforms to the protocol, as far as it offers what is asked", async () => {
  const { url, token } = await productWithToken();
  const { code, output } = await conformance((await tokenProxy(url, token)) + RPC, "product.yml");
  expect(failures(code, output)).toBe("");
  for (const scenario of ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"]) {
    expect(output).toMatch(new RegExp(`✓ ${scenario}: [1-9]`));
  }
}, 120_000);

test("the handler conforms to the protocol for a server that offers everything", async () => {
  const app = await startTestApp();
  const path = "/mcp/fixtures";
  mountMcp(app.http, path, {
    engine: app.engine,
    log: quietLog,
    address: { cors_origins: [], is_authorization_server: false },
    refuse: (_http, error) => Response.json({ error: error.code }, { status: 405 }),
    serverFor: async () => createFixtureServer(),
  });
  const listener = await listen(app.http, { host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    listener.closeNow();
    await listener.close();
  });
  const proxy = await tokenProxy(listener.url, await app.token("provision"));
  const { code, output } = await conformance(proxy + path, "fixtures.yml");
  expect(failures(code, output)).toBe("");
}, 120_000);

test("the inspector lists tools and calls one", async () => {
  const { url, token } = await productWithToken();
  const inspect = (...args: string[]) =>
    program("mcp-inspector", [
      "--cli",
      url + RPC,
      ...["--transport", "http"],
      ...["--header", `Authorization: Bearer ${token}`],
      ...args,
    ]);
  const listed = await inspect("--method", "tools/list");
  expect([listed.code, listed.output]).toEqual([0, listed.output]);
  expect(listed.output).toContain("provision_agent");
  const called = await inspect("--method", "tools/call", "--tool-name", "admin_list_agents");
  expect([called.code, called.output]).toEqual([0, called.output]);
  expect(called.output).toContain("guide");
}, 120_000);
