import { randomUUID } from "node:crypto";
import { EngineError, type ErrorCode } from "#engine/kernel/error.ts";
import type { Operation } from "#engine/operation.ts";
import { chat } from "#engine/runtime/operations.ts";
import { followSession } from "#engine/sessions/follow.ts";
import type { Route } from "#server/http/route.ts";
import { routesOf } from "#server/routes/all.ts";
import { BOOTSTRAP_HEADER } from "#server/routes/auth.ts";
import { API_BASE } from "#server/server.ts";
import type { Client } from "./client.ts";
import { behind } from "./frame-queue.ts";
import { nextActivity, resumeIdOf } from "./remote-activity.ts";
import { readTurn, reconnect } from "./remote-turn.ts";
import type { GivenFile } from "./send-file.ts";

export interface RemoteOptions {
  readonly url: string;
  /** Without one, a local session is opened: that works on the server's own machine. */
  readonly token?: string | undefined;
  readonly bootstrap_secret?: string | undefined;
}

interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  /** Lets go of a stream. */
  readonly signal?: AbortSignal;
}

/** The engine behind a server's REST routes, called through the same tables that serve them. */
export async function openRemoteClient(options: RemoteOptions): Promise<Client> {
  const place = serverOf(options.url);
  const base = place + API_BASE;
  const routes = new Map(
    routesOf({ bootstrap_secret: undefined }).map((row) => [row.operation.name, row]),
  );
  let token = options.token ?? (await openSession(base, options.bootstrap_secret));

  const send = async (
    operation: Operation<never, unknown>,
    input: object,
    more: Sending = {},
  ): Promise<Response> => {
    const route = routes.get(operation.name);
    if (!route) throw new Error(`no route serves ${operation.name}`);
    const response = await request(base, route, { ...input }, token, more);
    if (response.status !== 401 || options.token) return requireSuccess(response);
    // The session ran out while the terminal was open.
    token = await openSession(base, options.bootstrap_secret);
    return requireSuccess(await request(base, route, { ...input }, token, more));
  };

  const followFrom =
    (id: string, turn?: string | null) =>
    (after: number, signal?: AbortSignal): Promise<Response> =>
      send(followSession, { id, after, ...(turn ? { turn } : {}) }, signal ? { signal } : {});

  return {
    place,
    async call(operation, input) {
      const response = await send(operation as Operation<never, unknown>, input as object);
      const text = await response.text();
      if (text === "") return undefined;
      return response.headers.get("Content-Type")?.includes("json") ? JSON.parse(text) : text;
    },
    async chat(input, watch = () => undefined) {
      // A server that dies before it answers may have taken the message: with its key, it joins it.
      const headers = { "Idempotency-Key": randomUUID() };
      const ask = () =>
        send(chat as Operation<never, unknown>, { ...input, stream: true }, { headers });
      const response = await ask().catch((error: unknown) => {
        if (!wasCut(error)) throw error;
        watch("lost");
        return reconnect(ask);
      });
      const session_id = response.headers.get("X-Session-Id") ?? input.session_id ?? "";
      // Only this turn's: another may stand before it in the session.
      const follow = followFrom(session_id, response.headers.get("X-Turn-Id"));
      return {
        session_id,
        frames: readTurn(response, follow, watch, { after: resumeIdOf(response) }),
      };
    },
    async join(session_id, number, watch = () => undefined) {
      const follow = followFrom(session_id);
      const frames = readTurn(await follow(0), follow, watch, { after: 0, turns: number });
      return { session_id, frames: behind(number - 1, frames) };
    },
    async upcoming(session_id, { after, signal, watch }) {
      const follow = followFrom(session_id);
      const seen = await nextActivity(follow, after, signal);
      if (seen === undefined) return undefined;
      const read = async function* () {
        yield* readTurn(await follow(seen), follow, watch, { after: seen });
      };
      return { session_id, frames: read() };
    },
    work: async () => undefined,
    close: async () => undefined,
  };
}

/** The address of the API, as programs have it, will do for that of its server. */
function serverOf(url: string): string {
  const given = url.replace(/\/+$/, "");
  return given.endsWith(API_BASE) ? given.slice(0, -API_BASE.length) : given;
}

async function openSession(base: string, secret: string | undefined): Promise<string> {
  const headers: Record<string, string> = secret ? { [BOOTSTRAP_HEADER]: secret } : {};
  const response = await reach(`${base}/auth/local-session`, { method: "POST", headers });
  if (response.ok) return ((await response.json()) as { access_token: string }).access_token;
  const { error, message } = await readError(response);
  // A server in trouble would not take a token either.
  if (response.status >= 500) throw new EngineError(error as ErrorCode, message);
  throw new EngineError(
    "unauthorized",
    `no token was given, and this server opens no local session (${message}); pass --token or set SERVICE_TOKEN`,
  );
}

/** The connection was there, and went. */
function wasCut(error: unknown): boolean {
  const { cause } = error as { cause?: { cause?: { code?: string } } };
  return /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(cause?.cause?.code ?? "");
}

async function request(
  base: string,
  route: Route,
  input: Record<string, unknown>,
  token: string,
  { headers: more = {}, signal }: Sending = {},
) {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(input[name] ?? "");
    delete input[name];
    return encodeURIComponent(value);
  });
  const url = new URL(base + path);
  if (route.takes_file) {
    const { sendFile } = await import("./send-file.ts");
    return reached(url.href, () => sendFile(url.href, input as unknown as GivenFile, token));
  }
  const bearer = { Authorization: `Bearer ${token}` };
  const headers = { ...bearer, "Content-Type": "application/json", ...more };
  if (route.method !== "GET") {
    const body = route.body_field === undefined ? input : input[route.body_field];
    return reach(url.href, { method: route.method, headers, body: JSON.stringify(body) });
  }
  for (const [name, value] of Object.entries(input)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return reach(url.href, { method: "GET", headers, ...(signal ? { signal } : {}) });
}

const reach = (url: string, init: RequestInit): Promise<Response> =>
  reached(url, () => fetch(url, init));

async function reached(url: string, send: () => Promise<Response>): Promise<Response> {
  try {
    return await send();
  } catch (cause) {
    const reason = (cause as { cause?: { code?: string } }).cause?.code ?? "no answer";
    const { origin } = new URL(url);
    throw new EngineError(
      "unavailable",
      `cannot reach ${origin} (${reason}); is \`troupe serve\` running there?`,
      {
        cause,
      },
    );
  }
}

async function requireSuccess(response: Response): Promise<Response> {
  if (response.ok) return response;
  const { error, message } = await readError(response);
  throw new EngineError(error as ErrorCode, message);
}

async function readError(response: Response): Promise<{ error: string; message: string }> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as { error?: string; message?: string };
    return { error: body.error ?? "internal", message: body.message ?? body.error ?? text };
  } catch {
    return {
      error: "internal",
      message: `the server answered ${response.status} without a reason`,
    };
  }
}
