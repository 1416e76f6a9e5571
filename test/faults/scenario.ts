/**
 * A process that plays one conversation with tools, a sub-agent and a form, and kills itself where it
 * is told to. Started again on the same folder, it goes on as a client would, and tells what it finds.
 *
 *   node scenario.ts FOLDER [before|after|tool NUMBER]
 */
import { createAgent } from "#engine/agents/operations.ts";
import type { Engine } from "#engine/engine.ts";
import { isLastFrame } from "#engine/events/channel.ts";
import type { WireFrame } from "#engine/events/wire.ts";
import { adminSession } from "#engine/kernel/principal.ts";
import { createModel } from "#engine/models/operations.ts";
import { createRelation } from "#engine/relations/operations.ts";
import { createSchema } from "#engine/schemas/operations.ts";
import { openMortalEngine } from "./mortal-engine.ts";

const SESSION = "55555555-5555-4555-8555-555555555555";
const principal = adminSession("tester");
const { engine, store, begin, effects } = await openMortalEngine(process.argv.slice(2));

await engine.start();
await configure(engine);
begin();
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
    effects: effects(),
  };
}

export type Report = Awaited<ReturnType<typeof report>>;
