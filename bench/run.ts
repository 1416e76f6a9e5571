/**
 * `npm run bench`: the packaged server beside a bare relay and the mock model alone, in the same run and
 * in turns, so that the ratios hold when the machine's speed drifts. `--quick` for a first look, `--json`
 * for programs.
 */
import { cpus } from "node:os";
import { coldStart } from "./cold-start.ts";
import { indexingMemory } from "./indexing-memory.ts";
import { knowledge } from "./knowledge.ts";
import { median, open, percentile, run } from "./load.ts";
import { cpuOf, memoryOf } from "./processes.ts";
import { retrieval, retrievalRows } from "./retrieval.ts";
import type { Row } from "./row.ts";
import {
  EXECUTABLE,
  mockSystem,
  type Pace,
  type System,
  startMock,
  startRelay,
  startTroupe,
} from "./systems.ts";
import { tasks } from "./tasks.ts";

const quick = process.argv.includes("--quick");
const ROUNDS = quick ? 2 : 5;
const TURNS: Readonly<Record<number, number>> = quick
  ? { 1: 200, 32: 800, 256: 1024 }
  : { 1: 600, 32: 3000, 256: 3000 };
const OPEN_STREAMS = 1000;
/** Turns after which the runtime has compiled what it will, in each system. */
const WARM_UP = 400;

interface Round {
  readonly turns_per_s: number;
  readonly cpu_ms: number;
  readonly first_p50_ms: number;
  readonly first_p99_ms: number;
}

/** A paced turn takes a quarter of a second, so there are fewer. */
const turnsOf = (streams: number, pace: Pace): number =>
  pace === "paced" ? streams * 10 : (TURNS[streams] ?? streams);

async function measure(system: System, streams: number, pace: Pace): Promise<Round> {
  const turns = turnsOf(streams, pace);
  const before = cpuOf(system.running.pid);
  const started = performance.now();
  const results = await run(system.target(pace), streams, turns);
  const seconds = (performance.now() - started) / 1000;
  const firsts = results.map(({ first_ms }) => first_ms);
  return {
    turns_per_s: turns / seconds,
    cpu_ms: (cpuOf(system.running.pid) - before) / turns,
    first_p50_ms: median(firsts),
    first_p99_ms: percentile(firsts, 0.99),
  };
}

/** The systems in turns, so that none has the quiet minute for itself. */
async function rounds(systems: readonly System[], streams: number, pace: Pace) {
  const results = new Map<string, Round[]>(systems.map(({ name }) => [name, []]));
  for (const system of systems)
    await run(
      system.target(pace),
      streams,
      Math.max(WARM_UP, Math.ceil(turnsOf(streams, pace) / 3)),
    );
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const system of systems)
      results.get(system.name)?.push(await measure(system, streams, pace));
  }
  return (name: string, field: keyof Round) =>
    median((results.get(name) ?? []).map((result) => result[field]));
}

async function throughput(mock: System, relay: System, troupe: System): Promise<Row[]> {
  const rows: Row[] = [];
  for (const streams of [1, 32, 256]) {
    const of = await rounds(
      streams === 1 ? [mock, relay, troupe] : [relay, troupe],
      streams,
      "instant",
    );
    const speed = of("troupe", "turns_per_s");
    // Five times the best agent server, measured beside the same limit on another machine.
    const share = speed / of("relay", "turns_per_s");
    rows.push({
      what: `turns/s, ${streams} streams`,
      troupe: speed,
      limit: of("relay", "turns_per_s"),
      ...(streams === 32 ? { target: "at least 0.28 of the limit", reached: share >= 0.28 } : {}),
    });
    const ratio = of("troupe", "cpu_ms") / of("relay", "cpu_ms");
    rows.push({
      what: `CPU ms/turn, ${streams} streams`,
      troupe: of("troupe", "cpu_ms"),
      limit: of("relay", "cpu_ms"),
      target: "at most 4x",
      reached: ratio <= 4,
    });
    const late = of("troupe", "first_p50_ms") - of("mock", "first_p50_ms");
    rows.push({
      what: `first token p50 ms, ${streams} streams`,
      troupe: of("troupe", "first_p50_ms"),
      limit: of("relay", "first_p50_ms"),
      ...(streams === 1
        ? {
            target: `at most 2 ms later than the mock alone (is ${late.toFixed(2)})`,
            reached: late <= 2,
          }
        : {}),
    });
  }
  const paced = await rounds([relay, troupe], 32, "paced");
  for (const [share, field] of [
    ["p50", "first_p50_ms"],
    ["p99", "first_p99_ms"],
  ] as const) {
    rows.push({
      what: `first token ${share} ms, 32 paced streams`,
      troupe: paced("troupe", field),
      limit: paced("relay", field),
    });
  }
  return rows;
}

/** A turn of four events, so many of which make a long session. */
const LONG_SESSION_TURNS = 250;

/** What the turn engine adds to a plain turn: tools, a sub-agent, a long past. */
async function engine(relay: System, troupe: System): Promise<Row[]> {
  const of = async (system: System, pace: Pace) => {
    const measured: number[] = [];
    await run(system.target(pace), 32, WARM_UP);
    for (let round = 0; round < ROUNDS; round += 1) {
      measured.push((await measure(system, 32, pace)).cpu_ms);
    }
    return median(measured);
  };
  const model_call = await of(relay, "instant");
  const tools: Row = {
    what: "CPU ms/turn with 3 tool calls, 32 streams; limit: 2 model calls",
    troupe: await of(troupe, "tools"),
    limit: model_call * 2,
  };
  const delegate: Row = {
    what: "CPU ms/turn with a sub-agent, 32 streams; limit: 3 model calls",
    troupe: await of(troupe, "delegate"),
    limit: model_call * 3,
  };
  return [tools, delegate, await longSession(troupe)];
}

async function longSession(troupe: System): Promise<Row> {
  const target = troupe.target("instant", crypto.randomUUID());
  const cpuOfTurns = async (turns: number) => {
    const before = cpuOf(troupe.running.pid);
    await run(target, 1, turns);
    return (cpuOf(troupe.running.pid) - before) / turns;
  };
  await run(target, 1, LONG_SESSION_TURNS / 2);
  const half = await cpuOfTurns(20);
  await run(target, 1, LONG_SESSION_TURNS / 2 - 20);
  const whole = await cpuOfTurns(20);
  return {
    what: "CPU ms/turn in a session of 1,000 events; limit: twice that of 500",
    troupe: whole,
    limit: half * 2,
    target: "under 20 ms, at most linear",
    reached: whole < 20 && whole <= half * 2.2,
  };
}

async function memory(relay: System, troupe: System): Promise<Row[]> {
  const idle: Row = {
    what: "resident memory after load, MB",
    troupe: memoryOf(troupe.running.pid),
    limit: memoryOf(relay.running.pid),
  };
  const grown: number[] = [];
  for (const system of [relay, troupe]) {
    const before = memoryOf(system.running.pid);
    const streams = await Promise.all(
      Array.from({ length: OPEN_STREAMS }, () => open(system.target("hold"))),
    );
    grown.push(memoryOf(system.running.pid) - before);
    for (const close of streams) close();
  }
  const [limit, mine = 0] = grown;
  const row = { what: `memory of ${OPEN_STREAMS} open streams, MB`, troupe: mine, limit };
  return [idle, { ...row, target: "at most 100 MB", reached: mine <= 100 }];
}

function print(rows: readonly Row[]): void {
  const number = (value: number | undefined) =>
    value === undefined ? "" : value >= 100 ? value.toFixed(0) : value.toFixed(2);
  const ratio = ({ troupe, limit }: Row) => (limit ? (troupe / limit).toFixed(2) : "");
  const verdict = ({ target, reached }: Row) =>
    target ? `${target}: ${reached ? "reached" : "MISSED"}` : "";
  console.log(
    `\nNode ${process.versions.node}, ${process.platform}-${process.arch}, ${cpus().length} cores; medians of ${ROUNDS} rounds\n`,
  );
  console.log("| What | troupe | limit | ratio | target |\n|---|---|---|---|---|");
  for (const row of rows) {
    console.log(
      `| ${row.what} | ${number(row.troupe)} | ${number(row.limit)} | ${ratio(row)} | ${verdict(row)} |`,
    );
  }
}

const rows: Row[] = [];
const start_up = await coldStart(EXECUTABLE, quick ? 5 : 11);
rows.push({
  what: "cold start to /health, ms",
  troupe: start_up.troupe_ms,
  limit: start_up.bare_ms,
  target: "at most 300 ms",
  reached: start_up.troupe_ms <= 300,
});
rows.push({
  what: "resident memory idle, MB",
  troupe: start_up.troupe_mb,
  limit: start_up.bare_mb,
  target: "under 120 MB",
  reached: start_up.troupe_mb < 120,
});
const mock = await startMock();
const relay = await startRelay(mock);
const troupe = await startTroupe(mock);
try {
  rows.push(...(await throughput(mockSystem(mock), relay, troupe)));
  rows.push(...(await engine(relay, troupe)));
  rows.push(...(await tasks(relay, troupe, quick)));
  rows.push(...(await memory(relay, troupe)));
} finally {
  await Promise.all([mock, relay.running, troupe.running].map((running) => running.stop()));
}
rows.push(...(await knowledge(quick)));
// Minutes of work: most of it embeds what is searched.
if (!quick) rows.push(await indexingMemory(), ...retrievalRows(await retrieval()));
if (process.argv.includes("--json")) console.log(JSON.stringify(rows, undefined, 2));
else print(rows);
