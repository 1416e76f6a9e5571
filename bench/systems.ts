import { join } from "node:path";
import type { Target } from "./load.ts";
import { type Running, start, temporaryFolder } from "./processes.ts";

/** What the mock model does; see there. */
export type Pace = "instant" | "paced" | "hold" | "tools" | "delegate";

const PACES: readonly Pace[] = ["instant", "paced", "hold", "tools", "delegate"];

export interface System {
  readonly name: string;
  readonly running: Running;
  /** A session of its own for each turn, unless one is named. */
  target(pace: Pace, session_id?: string): Target;
}

const ROOT = join(import.meta.dirname, "..");
const MESSAGE = "Tell me something in fifty words.";

export const startMock = (): Promise<Running> =>
  start(process.execPath, [join(ROOT, "bench/mock-model.ts")]);

/** The mock itself, asked without anything between. */
export const mockSystem = (mock: Running): System => ({
  name: "mock",
  running: mock,
  target: (model) => ({
    url: `${mock.url}/chat/completions`,
    headers: {},
    body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: MESSAGE }] }),
    first: "word0",
    last: "[DONE]",
  }),
});

export async function startRelay(mock: Running): Promise<System> {
  const file = join(temporaryFolder(), "relay.db");
  const running = await start(process.execPath, [join(ROOT, "bench/relay.ts"), mock.url, file]);
  return {
    name: "relay",
    running,
    target: (model) => ({
      url: `${running.url}/chat`,
      headers: {},
      body: JSON.stringify({ message: MESSAGE, model }),
      first: "word0",
      last: "event: done",
    }),
  };
}

export const EXECUTABLE = join(ROOT, "dist/troupe");

/** The packaged server, set up as a person would: over its own interface, asked with an API token. */
export async function startTroupe(
  mock: Running,
  program: readonly string[] = [EXECUTABLE],
): Promise<System> {
  const [command = "", ...before] = program;
  const place = ["--port", "0", "--data-dir", temporaryFolder(), "--log-level", "warn"];
  const running = await start(command, [...before, "serve", ...place]);
  const api = `${running.url}/api/v1`;
  const send = async (path: string, token: string, body: object) => {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch(api + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  const session = await fetch(`${api}/auth/local-session`, { method: "POST" });
  const { access_token: admin = "" } = (await session.json()) as Record<string, string>;
  for (const pace of PACES) {
    await send("/models", admin, {
      name: pace,
      type: "openai_compatible",
      model_name: pace,
      base_url: mock.url,
    });
    await send("/agents", admin, {
      name: pace,
      system: "Be brief.",
      model: pace,
      max_turn_duration: 0,
      tools: pace === "tools" ? ["current_time"] : [],
    });
    await send("/schemas", admin, { name: pace, entry_agent_id: pace, chat_enabled: true });
  }
  const relation = { source: "delegate", target: "instant" };
  await send("/schemas/delegate/agent-relations", admin, relation);
  const { token = "" } = await send("/auth/tokens", admin, {
    name: "bench",
    scopes: ["chat", "tasks"],
  });
  return {
    name: "troupe",
    running,
    target: (pace, session_id) => ({
      url: `${api}/schemas/${pace}/chat`,
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify({ message: MESSAGE, session_id }),
      first: "word0",
      last: "event: done",
    }),
  };
}
