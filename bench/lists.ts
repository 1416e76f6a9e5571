/**
 * What grows with use must not slow down what is asked often: `node bench/lists.ts` compares a page of
 * sessions among many with one among few, and counts what the check of a token costs the store. In this
 * process, without HTTP, so that only the engine and the store are measured.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateKeyPair } from "jose";
import { ALGORITHM, createVerifier } from "#engine/auth/jwt.ts";
import { createToken } from "#engine/auth/operations.ts";
import { createEngine, type Engine } from "#engine/engine.ts";
import { adminSession } from "#engine/kernel/principal.ts";
import { createSecretBox } from "#engine/kernel/secrets.ts";
import { listSessions } from "#engine/sessions/operations.ts";
import type { Store } from "#engine/store.ts";
import { installedNativeFiles } from "#store/sqlite/native.ts";
import { openSqliteStore } from "#store/sqlite/store.ts";
import { median } from "./load.ts";

const MANY = 100_000;
const FEW = 100;
const ROUNDS = 300;
const PAGES_RATIO = 3;
const admin = adminSession("bench");

/** Times that a part of the store was asked, by its name. */
type Asked = Map<string, number>;

/** A store that counts its reads of tokens and its writes. */
function counting(store: Store, asked: Asked): Store {
  const count = (what: string) => asked.set(what, (asked.get(what) ?? 0) + 1);
  const { tokens } = store.read;
  return {
    ...store,
    read: {
      ...store.read,
      tokens: {
        ...tokens,
        getByHash(hash) {
          count("reads");
          return tokens.getByHash(hash);
        },
      },
    },
    write(work) {
      count("writes");
      return store.write(work);
    },
  };
}

async function start(sessions: number, asked: Asked = new Map()) {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  const native = installedNativeFiles(import.meta.url);
  const store = openSqliteStore({ file: join(folder, "troupe.db"), native });
  const { publicKey } = await generateKeyPair(ALGORITHM, { crv: "Ed25519" });
  const engine = createEngine({
    store: counting(store, asked),
    version: "bench",
    secrets: createSecretBox(new Uint8Array(32)),
    verifier: createVerifier(publicKey, undefined),
    issuer: undefined,
    tools: [],
    log: { info: () => {}, warn: () => {}, error: () => {} },
    owner: "bench",
  });
  await fill(store, sessions);
  const stop = async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  };
  return { engine, stop };
}

/** Of a thousand users, one of a hundred failed, begun a minute apart. */
const fill = (store: Store, sessions: number): Promise<void> =>
  store.write(async (tx) => {
    for (let index = 0; index < sessions; index += 1) {
      const at = new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();
      await tx.sessions.insert({
        id: crypto.randomUUID(),
        title: `Session ${index}`,
        user_sub: `user-${index % 1000}`,
        status: index % 100 === 0 ? "failed" : "completed",
        metadata: { index },
        created_at: at,
        updated_at: at,
      });
    }
  });

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return median(times);
}

const PAGES: Readonly<Record<string, object>> = {
  "the first page": {},
  "a page of 100": { per_page: 100 },
  "one user's page": { user_sub: "user-7" },
  "the failed ones": { status: "failed" },
  "those of an hour": { from: "2026-01-01T00:00:00Z", to: "2026-01-01T00:59:59Z" },
};

const pageTimes = async (engine: Engine) => {
  const times = new Map<string, number>();
  for (const [what, query] of Object.entries(PAGES)) {
    times.set(what, await timeOf(() => engine.call(admin, listSessions, query)));
  }
  return times;
};

async function checkOfToken(): Promise<void> {
  const asked: Asked = new Map();
  const { engine, stop } = await start(0, asked);
  const { token } = await engine.call(admin, createToken, { name: "bench", scopes: ["chat"] });
  await engine.authenticate(`Bearer ${token}`);
  asked.clear();
  const time_ms = await timeOf(() => engine.authenticate(`Bearer ${token}`));
  const reads = (asked.get("reads") ?? 0) / ROUNDS;
  const writes = asked.get("writes") ?? 0;
  const verdict = reads === 1 && writes === 0 ? "reached" : "MISSED";
  console.log(
    `\nCheck of a token: ${(time_ms * 1000).toFixed(0)} µs, ${reads} indexed read, ${writes} writes within a minute (one and none: ${verdict})`,
  );
  await stop();
}

const few = await start(FEW);
const many = await start(MANY);
const [of_few, of_many] = [await pageTimes(few.engine), await pageTimes(many.engine)];
console.log(`| Sessions | ms among ${FEW} | ms among ${MANY} | ratio |\n|---|---|---|---|`);
for (const [what, few_ms] of of_few) {
  const many_ms = of_many.get(what) ?? 0;
  const ratio = many_ms / few_ms;
  const verdict = ratio <= PAGES_RATIO ? "" : `, MISSED: at most ${PAGES_RATIO}`;
  console.log(
    `| ${what} | ${few_ms.toFixed(3)} | ${many_ms.toFixed(3)} | ${ratio.toFixed(1)}${verdict} |`,
  );
}
await checkOfToken();
await few.stop();
await many.stop();
