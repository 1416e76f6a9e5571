import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Caller } from "./app.ts";

const require = createRequire(import.meta.url);

/** The script of a published server, which is a development dependency. */
export function publishedServer(name: "everything" | "filesystem" | "memory"): string {
  const manifest = require.resolve(`@modelcontextprotocol/server-${name}/package.json`);
  return join(dirname(manifest), "dist", "index.js");
}

/** The request that creates a server which is a script of this machine. */
export const programOf = (name: string, script: string, ...args: string[]) => ({
  name,
  type: "stdio",
  command: process.execPath,
  args: [script, ...args],
});

/** The server that plays a part, of `test/support/scripted-mcp-server.ts`. */
export const scriptedServer = (name: string, part: string, ...args: string[]) =>
  programOf(name, join(import.meta.dirname, "scripted-mcp-server.ts"), part, ...args);

export interface HttpServer {
  readonly url: string;
  /** As after `kill -9`. */
  kill(): Promise<void>;
}

/** Starts a script that serves over HTTP and tells on stderr or stdout the port that it got. */
export async function startHttpServer(
  script: string,
  args: readonly string[],
  port: number,
): Promise<HttpServer> {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  onTestFinished(kill);
  await new Promise<void>((resolve, reject) => {
    let said = "";
    const listen = (chunk: Buffer) => {
      said += chunk.toString();
      if (/listening|running/i.test(said)) resolve();
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
  return { url: `http://127.0.0.1:${port}/mcp`, kill };
}

/** Creates a server and resolves once its connection has come to something. */
export async function addServer(admin: Caller, server: { name: string; [field: string]: unknown }) {
  const created = await admin.post("/mcp-servers", server);
  if (created.status !== 201) throw new Error(`${created.status}: ${created.text}`);
  return whenSettled(admin, server.name);
}

/** Resolves with the server when it is neither connecting nor waiting for that. */
export async function whenSettled(admin: Caller, name: string) {
  for (;;) {
    const { body } = await admin.get(`/mcp-servers/${name}`);
    if (body.status.status === "connected" || body.status.status === "error") return body;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
