import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { AgentRecord } from "../agents/agent.ts";
import type { DeltaListener } from "../events/channel.ts";
import {
  type Fact,
  isShownAsInterrupt,
  type ProviderMetadata,
  type Usage,
} from "../events/event.ts";
import type { ChatModelCall } from "../providers/provider.ts";
import { readParts } from "../providers/stream-guard.ts";
import type { Actor } from "./actor.ts";
import { charactersOf } from "./context-window.ts";
import { toPrompt } from "./prompt.ts";
import { CUT, type Run } from "./run.ts";
import { toFunctionTool } from "./toolbox.ts";

/** A model stream that says nothing for so long has failed, unless its agent sets another limit. */
const IDLE_MS = 60_000;

const SOON_OVER_NOTE =
  "Only one more step with tools is left in this turn. Finish now, unless a last call is needed.";

const LAST_STEP_NOTE =
  "You have used up the steps of this turn. Answer now with what you know; no tools are available.";

/** What one model call has said so far. */
interface Said {
  text: string;
  reasoning: string;
  reasoning_metadata: ProviderMetadata | undefined;
  readonly calls: (Fact & { type: "tool_call" })[];
  finish_reason: string;
  usage: Usage;
}

export interface ModelCall {
  readonly run: Run;
  readonly actor: Actor;
  /** No tools are offered and none are taken. */
  readonly last: boolean;
  readonly signal: AbortSignal;
  /** Takes a provider's id for a call, or another when the session has it already. */
  claimCallId(given: string): string;
  /** Absent when nobody listens to the pieces. */
  readonly onDelta: DeltaListener | undefined;
  /** Called with what was said when the call is cut short, so that it is not lost. */
  onCut(facts: Fact[]): void;
}

/** One model call: streams its deltas and returns its facts. Throws what the provider throws. */
export async function callModel(input: ModelCall): Promise<Fact[]> {
  const said: Said = {
    text: "",
    reasoning: "",
    reasoning_metadata: undefined,
    calls: [],
    finish_reason: "unknown",
    usage: {},
  };
  const { run, actor, signal } = input;
  const limits = { idle_ms: idleLimit(actor.agent), signal };
  const prompt_characters = charactersOf(run) + actor.fixed_characters;
  const call = toCall(input);
  try {
    await readParts(
      (abortSignal) => actor.client.model.doStream({ ...call, abortSignal }),
      limits,
      partTaker(said, input),
    );
  } catch (error) {
    input.onCut(cutFacts(said));
    throw error;
  }
  const calls = input.last ? [] : said.calls;
  const { finish_reason, usage } = said;
  const is_last = input.last || undefined;
  return [
    ...(asksPerson(calls) ? reasoningFacts(said) : textFacts(said)),
    ...calls,
    { type: "step_finished", payload: { finish_reason, usage, prompt_characters, is_last } },
  ];
}

/** A form speaks for itself: what was said around it is dropped (contract 4.16). */
const asksPerson = (calls: readonly (Fact & { type: "tool_call" })[]): boolean =>
  calls.some(({ payload }) => isShownAsInterrupt(payload.tool));

const idleLimit = ({ max_step_duration }: AgentRecord): number =>
  max_step_duration > 0 ? max_step_duration * 1000 : IDLE_MS;

function toCall({ actor, run, last }: ModelCall): ChatModelCall {
  const { agent, tools, notes } = actor;
  return {
    prompt: toPrompt(agent.system, run, [...notes, ...notesFor(run, agent, last)]),
    ...(tools.length > 0 && !last ? { tools: tools.map(toFunctionTool) } : {}),
    ...(agent.temperature === undefined ? {} : { temperature: agent.temperature }),
    ...(agent.top_p === undefined ? {} : { topP: agent.top_p }),
    ...(agent.max_tokens === undefined ? {} : { maxOutputTokens: agent.max_tokens }),
    ...(agent.stop_sequences.length === 0 ? {} : { stopSequences: agent.stop_sequences }),
  };
}

function notesFor({ steps }: Run, { max_steps }: AgentRecord, last: boolean): string[] {
  if (last) return [LAST_STEP_NOTE];
  return steps > 0 && steps === max_steps - 1 ? [SOON_OVER_NOTE] : [];
}

function partTaker(said: Said, { onDelta, claimCallId }: ModelCall) {
  return (part: LanguageModelV4StreamPart): void => {
    switch (part.type) {
      case "text-delta":
        if (part.delta === "") return;
        said.text += part.delta;
        onDelta?.("message_delta", part.delta);
        return;
      case "reasoning-delta":
        if (part.delta === "") return;
        said.reasoning += part.delta;
        onDelta?.("thinking", part.delta);
        return;
      case "reasoning-end":
        said.reasoning_metadata = metadataOf(part) ?? said.reasoning_metadata;
        return;
      case "tool-call":
        said.calls.push(toolCall(part, claimCallId(part.toolCallId)));
        return;
      case "finish":
        said.finish_reason = part.finishReason.unified;
        said.usage = toUsage(part.usage);
        return;
      case "error":
        throw part.error;
      default:
    }
  };
}

type ToolCallPart = Extract<LanguageModelV4StreamPart, { type: "tool-call" }>;

function toolCall(part: ToolCallPart, call_id: string): Fact & { type: "tool_call" } {
  const { toolName: tool, input } = part;
  return {
    type: "tool_call",
    call_id,
    payload: { tool, input, provider_metadata: metadataOf(part) },
  };
}

const metadataOf = (part: { providerMetadata?: unknown }) =>
  part.providerMetadata as ProviderMetadata | undefined;

function textFacts(said: Said): Fact[] {
  const facts = reasoningFacts(said);
  if (said.text) facts.push({ type: "assistant_message", payload: { content: said.text } });
  return facts;
}

/** A step that was cut short counts as one if it said anything, but what it said is no answer. */
function cutFacts(said: Said): Fact[] {
  const facts = textFacts(said);
  if (facts.length === 0) return [];
  return [...facts, { type: "step_finished", payload: { finish_reason: CUT, usage: said.usage } }];
}

function reasoningFacts({ reasoning, reasoning_metadata }: Said): Fact[] {
  if (!reasoning) return [];
  const payload = { content: reasoning, provider_metadata: reasoning_metadata };
  return [{ type: "reasoning", payload }];
}

const toUsage = ({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage => ({
  prompt_tokens: inputTokens.total,
  completion_tokens: outputTokens.total,
  cached_prompt_tokens: inputTokens.cacheRead,
});
