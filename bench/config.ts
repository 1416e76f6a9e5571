/**
 * What a large configuration costs: `node bench/config.ts` plans and applies a document of 1,000 agents and
 * 200 schemas, in this process and without HTTP. CPU is that of the process.
 */
import { applyConfig, exportConfig, planConfig } from "#engine/config/operations.ts";
import { adminSession } from "#engine/kernel/principal.ts";
import { startEngine } from "./engine.ts";
import { whileWatched } from "./loop-delay.ts";

const AGENTS = 1_000;
const SCHEMAS = 200;
const TARGET_MS = 2_000;
const DELAY_MS = 20;
const admin = adminSession("bench");

const range = (count: number) => Array.from({ length: count }, (_, at) => at);

/** About 700 KB: prompts of ten lines, five relations a schema. */
function documentOf(max_steps: number): string {
  const agents = range(AGENTS).map(
    (at) => `  - name: agent-${at}
    model_name: main
    system_prompt: |
      You are agent number ${at}.
${"      What you may do, what you may not do, and how you say it.\n".repeat(8)}    tools: [current_time, show_structured_output]
    max_steps: ${max_steps}
`,
  );
  const schemas = range(SCHEMAS).map(
    (at) => `  - name: schema-${at}
    chat_enabled: true
    entry_agent: agent-${at}
    relations:
${range(5)
  .map((next) => `      - {from: agent-${at}, to: agent-${at + next + 1}}\n`)
  .join("")}`,
  );
  return `models: [{name: main, type: demo, model_name: demo}]
agents:\n${agents.join("")}schemas:\n${schemas.join("")}`;
}

async function cpuOf<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const before = process.cpuUsage();
  const { result, p99_ms, longest_ms } = await whileWatched(work);
  const { user, system } = process.cpuUsage(before);
  const cpu_ms = Math.round((user + system) / 1000);
  const verdict = what.startsWith("plan") ? (cpu_ms < TARGET_MS ? ", reached" : ", MISSED") : "";
  const waited = `event-loop delay p99 ${p99_ms.toFixed(1)} ms, longest ${longest_ms.toFixed(1)} ms`;
  const kept = p99_ms < DELAY_MS ? "reached" : "MISSED";
  console.log(`${what}: ${cpu_ms} ms of CPU${verdict}; ${waited}, ${kept}`);
  return result;
}

const { engine, stop } = await startEngine();
const wanted = (text: string) => ({ documents: [{ text }], strict: true });
try {
  const [first, second] = [documentOf(7), documentOf(8)];
  console.log(`${AGENTS} agents, ${SCHEMAS} schemas, ${Math.round(first.length / 1024)} KB`);
  await cpuOf("plan on nothing", () => engine.call(admin, planConfig, wanted(first)));
  await cpuOf("apply on nothing", () => engine.call(admin, applyConfig, wanted(first)));
  await cpuOf("plan without a change", () => engine.call(admin, planConfig, wanted(first)));
  await cpuOf("plan with every agent changed", () =>
    engine.call(admin, planConfig, wanted(second)),
  );
  await cpuOf("apply with every agent changed", () =>
    engine.call(admin, applyConfig, wanted(second)),
  );
  await cpuOf("export", () => engine.call(admin, exportConfig, {}));
} finally {
  await stop();
}
