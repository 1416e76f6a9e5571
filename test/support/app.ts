import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CryptoKey, generateKeyPair, SignJWT } from "jose";
import { onTestFinished } from "vitest";
import { createLauncher } from "#cli/programs/launcher.ts";
import { ALGORITHM, createIssuer, createVerifier } from "#engine/auth/jwt.ts";
import { createToken } from "#engine/auth/operations.ts";
import type { EngineDependencies } from "#engine/create-services.ts";
import { createEngine, type Engine } from "#engine/engine.ts";
import { adminSession } from "#engine/kernel/principal.ts";
import { createSecretBox } from "#engine/kernel/secrets.ts";
import { createOAuthSigner } from "#engine/oauth/signer.ts";
import type { Store } from "#engine/store.ts";
import { builtInTools } from "#engine/tools/built-in.ts";
import type { App } from "#server/http/mount.ts";
import { createServer } from "#server/server.ts";
import { openSqliteStore } from "#store/sqlite/store.ts";
import { type Clock, createClock } from "./clock.ts";
import { extractHere } from "./extraction.ts";
import { quietLog } from "./log.ts";
import { native } from "./native.ts";

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  readonly body: any;
  readonly text: string;
}

export interface Caller {
  /** Resolves with the head of the answer, so that a stream can be read later or not at all. */
  open(path: string, body: unknown, more?: Record<string, string>): Promise<Response>;
  openGet(path: string): Promise<Response>;
  get(path: string): Promise<TestResponse>;
  post(path: string, body?: unknown): Promise<TestResponse>;
  postForm(path: string, form: FormData): Promise<TestResponse>;
  put(path: string, body?: unknown): Promise<TestResponse>;
  patch(path: string, body?: unknown): Promise<TestResponse>;
  delete(path: string, body?: unknown): Promise<TestResponse>;
}

export interface TestApp {
  readonly engine: Engine;
  readonly store: Store;
  readonly clock: Clock;
  /** As if the disk were full, until it is switched off again. */
  failWrites(failing: boolean): void;
  /** An admin session, a token with these scopes, or nobody. */
  as(who: "admin" | "nobody" | readonly string[]): Promise<Caller>;
  /** An end user's JWT. */
  asUser(subject: string): Promise<Caller>;
  signJwt(claims: Record<string, unknown>): Promise<string>;
  bearer(token: string): Caller;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** To listen with, or to add routes to. */
  readonly http: App;
  /** At a whole URL, whose host the server then sees. */
  request(url: string, init?: RequestInit): Promise<Response>;
  /** The value of a new token with these scopes. */
  token(...scopes: string[]): Promise<string>;
}

/** What is not below the API's base. */
const ROOT_PATHS =
  /^\/($|api\/|health$|metrics$|widget[./]|oauth\/(register|token)$|admin\/oauth|agent-setup\/|\.well-known\/)/;

export interface TestOverrides extends Partial<EngineDependencies> {
  readonly bootstrap_secret?: string;
  readonly cors_origins?: readonly string[];
  readonly public_url?: string;
  /** Whether coding agents may ask for access; they may unless it says otherwise. */
  readonly has_oauth?: boolean;
  /** What a JWT's `aud` must be. */
  readonly audience?: string;
  /** Who ends the app; the test that started it, unless one app serves a whole file. */
  readonly atEnd?: (work: () => Promise<void>) => void;
}

/** The real engine on a real database in a temporary folder, with a clock that stands still. */
export async function startTestApp(overrides: TestOverrides = {}): Promise<TestApp> {
  const {
    bootstrap_secret,
    cors_origins,
    public_url,
    has_oauth = true,
    audience,
    atEnd = onTestFinished,
    ...dependencies
  } = overrides;
  const folder = mkdtempSync(join(tmpdir(), "troupe-test-"));
  const store = openSqliteStore({ file: join(folder, "troupe.db"), native });
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM, { crv: "Ed25519" });
  const clock = createClock();
  let is_full = false;
  const write: Store["write"] = (work) =>
    is_full ? Promise.reject(new Error("the disk is full")) : store.write(work);
  const engine = createEngine({
    store: { ...store, write },
    version: "0.0.0-test",
    secrets: createSecretBox(new Uint8Array(32)),
    verifier: createVerifier(publicKey, audience),
    issuer: createIssuer(privateKey, 3600),
    oauth: has_oauth ? createOAuthSigner(await oauthKeys()) : undefined,
    tools: builtInTools,
    extract: extractHere,
    launchProgram: createLauncher(process.env),
    log: quietLog,
    owner: "server",
    now: clock.now,
    ...dependencies,
  });
  await engine.start();
  atEnd(async () => {
    await engine.stop(0);
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const app = createServer({
    engine,
    log: quietLog,
    version: "0.0.0-test",
    local_sessions: { bootstrap_secret },
    ...(cors_origins ? { cors_origins } : {}),
    public_url,
    ...(has_oauth ? { oauth: {} } : {}),
    readAsset: (name) => readFileSync(join(import.meta.dirname, "../..", name), "utf8"),
  });
  const fetch = async (path: string, init: RequestInit = {}) =>
    app.request(ROOT_PATHS.test(path) ? path : `/api/v1${path}`, init);
  const signJwt = (claims: Record<string, unknown>) => sign(privateKey, clock, claims);
  const bearer = (token: string) => caller(fetch, { Authorization: `Bearer ${token}` });
  const token = async (...scopes: string[]): Promise<string> => {
    const name = `test-${scopes.join("-").replaceAll(":", ".")}-${Math.random()}`;
    return (await engine.call(adminSession("test"), createToken, { name, scopes })).token;
  };

  return {
    engine,
    store,
    clock,
    failWrites: (failing) => {
      is_full = failing;
    },
    fetch,
    http: app,
    request: async (url, init) => app.request(url, init),
    token,
    signJwt,
    bearer,
    asUser: async (sub) => bearer(await signJwt({ sub })),
    async as(who) {
      if (who === "nobody") return caller(fetch, {});
      if (who === "admin") return bearer(await signJwt({ sub: "local-admin", scope: "admin" }));
      return bearer(await token(...who));
    },
  };
}

async function oauthKeys() {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM, { crv: "Ed25519" });
  return { private_key: privateKey, public_key: publicKey };
}

const sign = (key: CryptoKey, clock: Clock, claims: Record<string, unknown>): Promise<string> => {
  const issued = Math.floor(clock.now().getTime() / 1000);
  return new SignJWT({ iat: issued, exp: issued + 3600, ...claims })
    .setProtectedHeader({ alg: ALGORITHM })
    .sign(key);
};

type Fetch = TestApp["fetch"];

function caller(fetch: Fetch, headers: Record<string, string>): Caller {
  const send = (method: string) => async (path: string, body?: unknown) => {
    const text =
      typeof body === "string" ? body : body === undefined ? undefined : JSON.stringify(body);
    const init: RequestInit = { method, headers: { Host: "127.0.0.1", ...headers } };
    if (text !== undefined) init.body = text;
    return toTestResponse(await fetch(path, init));
  };
  return {
    open: (path, body, more = {}) =>
      fetch(path, {
        method: "POST",
        headers: { Host: "127.0.0.1", ...headers, ...more },
        body: JSON.stringify(body),
      }),
    openGet: (path) => fetch(path, { headers: { Host: "127.0.0.1", ...headers } }),
    get: send("GET"),
    postForm: async (path, body) =>
      toTestResponse(
        await fetch(path, { method: "POST", headers: { Host: "127.0.0.1", ...headers }, body }),
      ),
    post: send("POST"),
    put: send("PUT"),
    patch: send("PATCH"),
    delete: send("DELETE"),
  };
}

async function toTestResponse(response: Response): Promise<TestResponse> {
  const text = await response.text();
  const json = response.headers.get("Content-Type")?.includes("json");
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: json ? JSON.parse(text) : undefined,
  };
}
