import { z } from "zod";
import type { AgentRecord } from "../agents/agent.ts";
import { defineTool, errorResult, type Tool, type ToolOutcome } from "../tools/tool.ts";
import { providerName, SPAWN_AGENT, spawnName } from "../tools/tool-name.ts";
import { allRuns } from "./conversation.ts";
import type { Run } from "./run.ts";
import type { Turn } from "./turn.ts";

/** What a sub-agent is asked: the only thing it knows of the conversation. */
export type SpawnInput = string;

export interface SpawnRequest {
  readonly call_id: string;
  readonly target: AgentRecord;
  readonly input: SpawnInput;
}

interface Spawner {
  readonly agent: AgentRecord;
  /** Whom it may delegate to. */
  readonly targets: readonly AgentRecord[];
  readonly turn: Turn;
  readonly run: Run;
  spawn(request: SpawnRequest): Promise<ToolOutcome>;
}

const ACTIONS = ["spawn", "wait", "status", "list", "stop"] as const;

const SpawnToolInput = z.object({
  action: z.enum(ACTIONS).optional().describe("spawn unless said otherwise"),
  description: z
    .string()
    .optional()
    .describe("For spawn: the whole task, with everything the agent has to know"),
  agent_id: z.string().optional().describe("For status and stop: the id of a spawned agent"),
});

const SpawnAgentInput = z.object({ agent_name: z.string(), input: z.string().min(1) });

/** One `spawn_<name>` per relation, and `spawn_agent` where it is listed. */
export function spawnTools(spawner: Spawner): Tool[] {
  const { agent, targets } = spawner;
  const tools = targets.map((target) => spawnTool(spawner, target));
  // An agent called "agent" has the name for itself.
  const is_free = tools.length > 0 && tools.every(({ name }) => name !== SPAWN_AGENT);
  const listed = agent.tools.includes(SPAWN_AGENT) && is_free;
  return listed ? [...tools, spawnAgentTool(spawner)] : tools;
}

/** Repeating it is safe: the sub-agent's own log says how far it got. */
const SPAWNING = { security_zone: "safe", retry: "safe", timeout_ms: 0 } as const;

const spawnTool = (spawner: Spawner, target: AgentRecord): Tool =>
  defineTool({
    ...SPAWNING,
    name: providerName(spawnName(target.name)),
    also_known_as: [spawnName(target.name)],
    description: `Delegate a task to the agent "${target.name}" and wait for its answer. ${purposeOf(target)}`,
    input: SpawnToolInput,
    async execute({ action = "spawn", description = "", agent_id }, { call_id }) {
      switch (action) {
        case "spawn":
          if (description.trim() === "") return errorResult("description: is required to spawn");
          return spawner.spawn({ call_id, target, input: description });
        case "wait":
        case "list":
          return { content: JSON.stringify(spawnedBy(spawner)) };
        case "status":
        case "stop":
          return aboutOne(spawner, agent_id);
      }
    },
  });

const spawnAgentTool = (spawner: Spawner): Tool =>
  defineTool({
    ...SPAWNING,
    name: SPAWN_AGENT,
    description: `Delegate a task to another agent and wait for its answer. Agents: ${namesOf(spawner)}.`,
    input: SpawnAgentInput,
    actsAs: ({ agent_name: name }) => [spawnName(name), providerName(spawnName(name))],
    async execute({ agent_name, input }, { call_id }) {
      const target = spawner.targets.find(({ name }) => name === agent_name);
      if (target) return spawner.spawn({ call_id, target, input });
      return errorResult(`there is no agent "${agent_name}"; you have: ${namesOf(spawner)}`);
    },
  });

const namesOf = ({ targets }: Spawner): string => targets.map(({ name }) => name).join(", ");

const PURPOSE_LENGTH = 200;

/** The first words of its prompt tell best what an agent is for. */
function purposeOf({ system }: AgentRecord): string {
  const text = system.replace(/\s+/g, " ").trim();
  if (text === "") return "";
  const start = text.length > PURPOSE_LENGTH ? `${text.slice(0, PURPOSE_LENGTH)}…` : text;
  return `It is told: ${start}`;
}

/** A spawned agent is done by the time its call returns: there is nothing to wait for or to stop. */
const spawnedBy = ({ turn, run }: Spawner) =>
  allRuns(turn.conversation)
    .filter(({ id, parent_id }) => id !== undefined && parent_id === run.id)
    .map(({ id: agent_id, agent_name, answer = "" }) => {
      const told = { agent_id, agent_name };
      const result = run.transcript.find(
        (fact) => fact.type === "tool_result" && fact.call_id === agent_id,
      );
      if (result?.type !== "tool_result") return { ...told, summary: answer, status: "running" };
      const { is_error, content } = result.payload;
      return is_error
        ? { ...told, summary: content, status: "failed" }
        : { ...told, summary: answer, status: "completed" };
    });

function aboutOne(spawner: Spawner, agent_id: string | undefined): ToolOutcome {
  const found = spawnedBy(spawner).find((spawned) => spawned.agent_id === agent_id);
  if (found) return { content: JSON.stringify(found) };
  return errorResult(`agent_id: you have spawned no agent "${agent_id ?? ""}"`);
}
