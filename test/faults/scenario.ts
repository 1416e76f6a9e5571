/**
 * A process that plays one conversation with tools, a sub-agent and a form, and kills itself where it
 * is told to. Started again on the same folder, it goes on as a client would, and tells what it finds.
 *
 *   node scenario.ts FOLDER [before|after|tool NUMBER]
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { generateKeyPair } from "jose";
import { z } from "zod";
import { createAgent } from "#engine/agents/operations.ts";
import { ALGORITHM, createVerifier } from "#engine/auth/jwt.ts";
import { createEngine, type Engine } from "#engine/engine.ts";
import { isLastFrame } from "#engine/events/channel.ts";
import type { WireFrame } from "#engine/events/wire.ts";
import { adminSession } from "#engine/kernel/principal.ts";
import { createSecretBox } from "#engine/kernel/secrets.ts";
import { createModel } from "#engine/models/operations.ts";
import { createRelation } from "#engine/relations/operations.ts";
import { createSchema } from "#engine/schemas/operations.ts";
import type { Store } from "#engine/store.ts";
import { builtInTools } from "#engine/tools/built-in.ts";
import { defineTool } from "#engine/tools/tool.ts";
import { openSqliteStore } from "#store/sqlite/store.ts";
import { quietLog } from "../support/log.ts";
import { native } from "../support/native.ts";
import { scriptedReplies } from "./scripted-reply.ts";

const [folder = "", where, number] = process.argv.slice(2);
const SESSION = "55555555-5555-4555-8555-555555555555";
const effects = join(folder, "effects.txt");
const principal = adminSession("tester");

/** Counts what it is told to count, and dies at the number it was given. */
function dieAt(place: string): () => void {
  let passed = 0;
  return () => {
    passed += 1;
    if (place === where && passed === Number(number)) process.kill(process.pid, "SIGKILL");
  };
}

const store = openSqliteStore({ file: join(folder, "troupe.db"), native });
const before = dieAt("before");
const after = dieAt("after");
const inTool = dieAt("tool");
let is_playing = false;

/** The kill comes just before a transaction commits, or just after it did. */
const mortal: Store = {
  ...store,
  async write(work) {
    const result = await store.write(async (tx) => {
      const done = await work(tx);
      if (is_playing) before();
      return done;
    });
    if (is_playing) after();
    return result;
  },
};

/** Has an effect that nothing undoes, and is not safe to repeat. */
const appendLine = defineTool({
  name: "append_line",
  description: "Appends a line to a file.",
  security_zone: "caution",
  retry: "never",
  input: z.object({ line: z.string() }),
  async execute({ line }) {
    appendFileSync(effects, `${line}\n`);
    inTool();
    return { content: "appended" };
  },
});

const { publicKey } = await generateKeyPair(ALGORITHM, { crv: "Ed25519" });
const engine = createEngine({
  store: mortal,
  version: "0.0.0-test",
  secrets: createSecretBox(new Uint8Array(32)),
  verifier: createVerifier(publicKey, undefined),
  issuer: undefined,
  tools: [...builtInTools(() => []), appendLine],
  log: quietLog,
  owner: "server",
  createChatModel: scriptedReplies,
});

await engine.start();
await configure(engine);
is_playing = true;
await chat({ message: "go" }, "first");
const asked = (await store.read.events.list(SESSION)).find(
  ({ type }) => type === "interrupt_request",
);
if (asked?.type === "interrupt_request") {
  const payload = { answers: [{ question_id: "colour", value: "green" }] };
  await chat({ resume_interrupt: { interrupt_id: asked.call_id, payload } }, "answer");
}
const last = await chat({ message: "and now?" }, "last");
console.log(JSON.stringify(await report(last)));
await engine.stop(0);
await store.close();

async function configure({ call }: Engine): Promise<void> {
  if ((await store.read.schemas.list()).length > 0) return;
  await call(principal, createModel, { name: "m", type: "demo", model_name: "demo" });
  const tools = ["append_line", "current_time", "show_structured_output"];
  await call(principal, createAgent, { name: "lead", system: "lead", tools });
  await call(principal, createAgent, { name: "helper", system: "helper", tools });
  await call(principal, createSchema, {
    name: "team",
    entry_agent_id: "lead",
    chat_enabled: true,
  });
  await call(principal, createRelation, { name: "team", source: "lead", target: "helper" });
}

/** With the same key the second process joins what the first one began. */
async function chat(request: object, idempotency_key: string): Promise<WireFrame[]> {
  const input = { name: "team", session_id: SESSION, ...request };
  const turn = await engine.chat(principal, input, { idempotency_key });
  const frames: WireFrame[] = [];
  return new Promise((resolve) => {
    const take = (frame: WireFrame): void => {
      frames.push(frame);
      if (isLastFrame(frame)) resolve(frames);
    };
    turn.replay.forEach(take);
    turn.follow(take);
  });
}

async function report(frames: readonly WireFrame[]) {
  const { read } = store;
  return {
    frames: frames.map(({ event, data }) => ({ event, data })),
    events: await read.events.list(SESSION),
    session: await read.sessions.get(SESSION),
    jobs: await read.jobs.countByKey(`session:${SESSION}`),
    pending: await read.interrupts.listPending(SESSION),
    tool_calls: await read.tool_calls.list({}, { limit: 100, offset: 0 }),
    effects: existsSync(effects) ? readFileSync(effects, "utf8").trim().split("\n") : [],
  };
}

export type Report = Awaited<ReturnType<typeof report>>;
