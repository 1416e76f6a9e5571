import type { AgentRecord } from "../agents/agent.ts";
import { knownNames, namesBeyond, unknownTools } from "../agents/unknown-tools.ts";
import type { Context } from "../context.ts";
import { EngineError } from "../kernel/error.ts";
import { LIMITS } from "../kernel/limits.ts";
import { citedIn } from "../knowledge/citation.ts";
import { openServerTools } from "../mcp-servers/agent-tools.ts";
import type { ModelRecord } from "../models/model.ts";
import { requirementsOf } from "../providers/model-types.ts";
import type { ModelConnection } from "../providers/provider.ts";
import { errorResult, type Tool, type ToolOutcome, type ToolResult } from "../tools/tool.ts";
import { abandonable } from "./abandonable.ts";
import { advance } from "./advance.ts";
import type { ChatClient } from "./chat-models.ts";
import { closingFacts, NO_ANSWER } from "./closing.ts";
import { addChild, runsWithin } from "./conversation.ts";
import { limitTurn } from "./limited-turn.ts";
import type { Run } from "./run.ts";
import { type SpawnInput, type SpawnRequest, spawnTools } from "./spawn-tools.ts";
import { charactersOfTools, ownTools } from "./toolbox.ts";
import type { Turn } from "./turn.ts";

/** An agent at work in a turn: its model, and everything it may call. */
export interface Actor {
  readonly agent: AgentRecord;
  readonly client: ChatClient;
  readonly tools: readonly Tool[];
  /** What its model is told of this turn's circumstances. */
  readonly notes: readonly string[];
  /** System prompt and tools, in characters: what every prompt of it holds. */
  readonly fixed_characters: number;
}

/** Longer than connections are waited for, so that it never ends that wait. */
const SERVERS_MS = 60_000;

/** `ancestors` are the agents that wait for this one, by id. */
export async function openActor(
  ctx: Context,
  turn: Turn,
  run: Run,
  agent: AgentRecord,
  ancestors: readonly string[] = [],
): Promise<Actor> {
  const { schema_id } = turn.job.payload;
  const lineage = [...ancestors, agent.id];
  const [client, capabilities, targets] = await Promise.all([
    openClient(ctx, turn, agent),
    ctx.read.capabilities.listByAgent(agent.id),
    listTargets(ctx, schema_id, lineage),
  ]);
  const spawn = (request: SpawnRequest) => spawnAgent(ctx, turn, run, lineage, request);
  const own = await ownTools(ctx, agent, capabilities, turn.job.payload);
  const ours = [...own, ...spawnTools({ agent, targets, turn, run, spawn })];
  const taken = new Set([...ctx.services.tools.keys(), ...ours.map(({ name }) => name)]);
  // A turn that is stopped does not wait for a server that may still come.
  const remote = await abandonable(turn.signal, SERVERS_MS, () =>
    openServerTools(ctx, agent.id, taken, turn.options.headers),
  );
  const tools = [...ours, ...remote.tools];
  await warnOfUnknownTools(ctx, agent, tools);
  const fixed_characters = agent.system.length + charactersOfTools(tools);
  return { agent, client, tools, notes: remote.notes, fixed_characters };
}

/** An agent's own lists may name what nobody offers, by mistake or any more: its administrator reads of it. */
async function warnOfUnknownTools(
  ctx: Context,
  agent: AgentRecord,
  tools: readonly Tool[],
): Promise<void> {
  const offered = tools.flatMap(({ name, also_known_as = [] }) => [name, ...also_known_as]);
  if (namesBeyond([knownNames(offered)], agent).length === 0) return;
  const serversOf = () => ctx.read.mcp_servers.listByAgent(agent.id);
  for (const { field, name } of await unknownTools(ctx, agent, serversOf)) {
    const about = { agent: agent.name, tool: name };
    ctx.services.log.warn(about, `no tool has a name that stands in the agent's ${field}`);
  }
}

/** Whom the last of a lineage may delegate to: never to one that already waits for it. */
async function listTargets(
  { read }: Context,
  schema_id: string,
  lineage: readonly string[],
): Promise<AgentRecord[]> {
  if (lineage.length > LIMITS.spawn_depth) return [];
  const ids = await read.relations.listTargetIds(schema_id, lineage.at(-1) ?? "");
  const allowed = ids.filter((id) => !lineage.includes(id));
  const agents = await Promise.all(allowed.map((id) => read.agents.get(id)));
  return agents.flatMap((agent) => agent ?? []);
}

async function openClient(ctx: Context, turn: Turn, agent: AgentRecord): Promise<ChatClient> {
  const { models } = ctx.services;
  const record = await findModel(ctx, agent);
  if (turn.job.payload.is_byok) return models.openOwn(ownConnection(turn, record));
  if (!record) throw noModel(agent);
  return models.open(record, agent.max_context_size);
}

/** The caller's own model; what its headers leave out is as on the agent's (decision 28). */
function ownConnection({ options }: Turn, record: ModelRecord | undefined): ModelConnection {
  const { model } = options;
  if (!model) throw new EngineError("model_error", KEY_IS_GONE);
  const { type, model_name = record?.model_name } = model;
  const base_url = model.base_url ?? (type === record?.type ? record.base_url : undefined);
  if (!model_name)
    throw new EngineError("model_error", "send X-Model-Name: the agent has no model");
  if (!base_url && requirementsOf(type).needs_base_url) {
    throw new EngineError("model_error", "the provider has no address here: send X-BYOK-Base-URL");
  }
  return { ...model, model_name, base_url };
}

const KEY_IS_GONE =
  "the key of this turn was kept in memory only and is gone since its work was interrupted: send the message again";

const findModel = ({ read }: Context, { model_id }: AgentRecord) =>
  model_id === undefined ? read.models.getDefault() : read.models.get(model_id);

const noModel = ({ name }: AgentRecord) =>
  new EngineError(
    "model_error",
    `agent "${name}" has no model: add one with POST /api/v1/models and set it on the agent`,
  );

/**
 * Runs a sub-agent to its answer, or goes on with the run that an earlier process or a pause left. What
 * goes wrong in it is a result that its parent reads; only the end of the whole turn is thrown.
 */
async function spawnAgent(
  ctx: Context,
  turn: Turn,
  parent: Run,
  lineage: readonly string[],
  { call_id, target, input }: SpawnRequest,
): Promise<ToolOutcome> {
  const run =
    turn.conversation.children.get(call_id) ?? begin(turn, parent, call_id, target, input);
  const limited = limitTurn(turn, target.max_turn_duration * 1000);
  try {
    const actor = await openActor(ctx, limited.turn, run, target, lineage);
    if ((await advance(ctx, limited.turn, run, actor)) === "waiting") return { is_waiting: true };
    return resultOf(target, run);
  } catch (error) {
    if (turn.signal.aborted || turn.isLost()) throw error;
    closeRuns(turn, run);
    return errorResult(
      limited.turn.signal.aborted ? outOfTime(target) : failureOf(ctx, target, error),
    );
  } finally {
    limited.end();
  }
}

/** Nobody will go on with what it and those below it have open. */
function closeRuns({ conversation, record }: Turn, run: Run): void {
  for (const left of runsWithin(conversation, run)) {
    record(left, ...closingFacts(left, () => CLOSED_WITH_ITS_AGENT));
  }
}

const CLOSED_WITH_ITS_AGENT = "the agent that made this call was stopped; its outcome is unknown";

const outOfTime = ({ name, max_turn_duration }: AgentRecord): string =>
  `agent "${name}" was stopped: it reached its max_turn_duration of ${max_turn_duration} seconds`;

function failureOf({ services }: Context, { name }: AgentRecord, error: unknown): string {
  if (error instanceof EngineError) return `agent "${name}" failed: ${error.message}`;
  services.log.error({ err: error }, "sub-agent failed");
  return `agent "${name}" failed: an internal error occurred`;
}

/** The sub-agent's answer, with what it rests on: only the parent's results are shown to the client. */
function resultOf(agent: AgentRecord, { said, answer, transcript, steps }: Run): ToolResult {
  const { name, max_steps } = agent;
  if (said === NO_ANSWER) {
    const limit =
      steps > max_steps ? `it reached its max_steps of ${max_steps}` : "it went in circles";
    return errorResult(`agent "${name}" was stopped without an answer: ${limit}`);
  }
  const text = said ?? (answer || "(no answer)");
  const given = transcript.flatMap((fact) =>
    fact.type === "tool_result" ? (fact.payload.citations ?? []) : [],
  );
  const known = new Map(given.map((citation) => [citation.number, citation]));
  const citations = citedIn(text, [...known.values()]);
  const content = `Agent "${name}" completed:\n\n${text}`;
  return citations.length > 0 ? { content, citations } : { content };
}

function begin(
  turn: Turn,
  parent: Run,
  call_id: string,
  target: AgentRecord,
  input: SpawnInput,
): Run {
  const { name: agent_name, id: agent_id } = target;
  const about = { id: call_id, agent_id, agent_name, parent_id: parent.id };
  const run = addChild(turn.conversation, about);
  const payload = { agent_name, parent_run_id: parent.id, input };
  turn.record(run, { type: "run_started", payload });
  return run;
}
