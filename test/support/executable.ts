import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";

/** What `npm run package` made; another one can be tested by naming it. */
export const EXECUTABLE = resolve(process.env.TROUPE_EXECUTABLE ?? "dist/troupe");

if (!existsSync(EXECUTABLE))
  throw new Error(`${EXECUTABLE} is not there: run \`npm run package\` first`);

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly input?: string;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly executable?: string;
}

/** Only what a program may count on: nothing of npm's or of the test runner's. */
const environment = (env: Record<string, string> = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  ...env,
});

/** Runs a command to its end. */
export const run = (args: readonly string[], options: RunOptions = {}): Promise<Finished> =>
  start(args, options).finished;

/** Starts a command that can be interrupted, as by Ctrl+C. */
export function start(args: readonly string[], options: RunOptions = {}) {
  const { executable = EXECUTABLE, input = "", cwd, env } = options;
  const child = spawn(executable, args, { env: environment(env), cwd });
  const output = collect(child);
  child.stdin?.end(input);
  const finished = new Promise<Finished>((done, failed) => {
    child.once("error", failed);
    child.once("close", (code) => done({ code, ...output }));
  });
  /** Resolves when the command has written the text. */
  const said = async (text: string, where: "stdout" | "stderr" = "stdout"): Promise<void> => {
    while (!output[where].includes(text)) await once(child[where], "data");
  };
  return {
    finished,
    output,
    said,
    interrupt: () => child.kill("SIGINT"),
    kill9: () => child.kill("SIGKILL"),
  };
}

/** Runs a command of which nobody reads these outputs: the pipes are closed before it begins. */
export async function runUnread(
  args: readonly string[],
  closed: readonly ("stdout" | "stderr")[],
  { executable = EXECUTABLE, env }: RunOptions = {},
): Promise<Finished> {
  const begin = 'read -r begin && exec "$@"';
  const child = spawn("sh", ["-c", begin, "sh", executable, ...args], { env: environment(env) });
  const output = collect(child);
  const ended = once(child, "close");
  await Promise.all(closed.map((name) => once(child[name].destroy(), "close")));
  child.stdin.end("begin\n");
  const [code] = await ended;
  return { code, ...output };
}

export interface Server {
  readonly url: string;
  readonly data_dir: string;
  readonly output: { stdout: string; stderr: string };
  /** SIGTERM, twice for one that must not wait for its turns; resolves with the exit code. */
  stop(options?: { twice: boolean }): Promise<number | null>;
  kill9(): Promise<void>;
}

interface ServeOptions extends RunOptions {
  readonly data_dir?: string;
  /** A free one unless it is named. */
  readonly port?: string;
  readonly args?: readonly string[];
}

/** Starts a server on a free port and waits until it names its address. */
export async function serve(options: ServeOptions = {}): Promise<Server> {
  const {
    executable = EXECUTABLE,
    data_dir = temporaryFolder(),
    port = "0",
    args = [],
    cwd,
    env,
  } = options;
  const child = spawn(executable, ["serve", "--port", port, "--data-dir", data_dir, ...args], {
    env: environment(env),
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = collect(child);
  const ended = new Promise<number | null>((done) => child.once("close", done));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const url = await Promise.race([
    addressOf(child, output),
    ended.then((code) => {
      throw new Error(`the server ended with ${code}: ${output.stderr}`);
    }),
  ]);
  return {
    url,
    data_dir,
    output,
    async stop({ twice } = { twice: false }) {
      child.kill("SIGTERM");
      if (twice) {
        await said(child, output, /^stopping/m);
        child.kill("SIGTERM");
      }
      return ended;
    },
    async kill9() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

export async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return String(typeof address === "object" ? address?.port : "");
}

async function said(child: ChildProcess, output: { stderr: string }, text: RegExp): Promise<void> {
  while (!text.test(output.stderr)) await once(child.stderr ?? child, "data");
}

function addressOf(child: ChildProcess, output: { stdout: string }): Promise<string> {
  return new Promise((found) => {
    child.stdout?.on("data", () => {
      const url = /^troupe listening on (\S+)$/m.exec(output.stdout)?.[1];
      if (url) found(url);
    });
  });
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  return output;
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-e2e-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Requests with an admin session of the server's own machine. */
export async function adminOf({ url }: Pick<Server, "url">) {
  const session = await fetch(`${url}/api/v1/auth/local-session`, { method: "POST" });
  const { access_token } = (await session.json()) as { access_token: string };
  const headers = { Authorization: `Bearer ${access_token}` };
  return {
    headers,
    send: (method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> =>
      fetch(`${url}/api/v1${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      }),
    async json(method: string, path: string, body?: unknown) {
      const response = await this.send(method, path, body);
      const text = await response.text();
      // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
      return { status: response.status, body: (text ? JSON.parse(text) : undefined) as any };
    },
  };
}
