import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { AgentRecord } from "../agents/agent.ts";
import type { TurnChannel } from "../events/channel.ts";
import type { Fact, ProviderMetadata, Usage } from "../events/event.ts";
import { newUuid } from "../kernel/ids.ts";
import type { ChatModel, ChatModelCall } from "../providers/provider.ts";
import { readParts } from "../providers/stream-guard.ts";
import type { Tool } from "../tools/tool.ts";
import { toPrompt } from "./prompt.ts";
import type { Run } from "./run.ts";
import { toFunctionTool } from "./toolbox.ts";

/** A model stream that says nothing for so long has failed, unless its agent sets another limit. */
const IDLE_MS = 60_000;

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
  readonly model: ChatModel;
  readonly agent: AgentRecord;
  readonly run: Run;
  readonly tools: readonly Tool[];
  /** No tools are offered and none are taken. */
  readonly last: boolean;
  readonly channel: TurnChannel;
  readonly signal: AbortSignal;
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
  const limits = { idle_ms: idleLimit(input.agent), signal: input.signal };
  try {
    await readParts(
      (abortSignal) => input.model.doStream({ ...toCall(input), abortSignal }),
      limits,
      partTaker(said, input.channel),
    );
  } catch (error) {
    input.onCut(textFacts(said));
    throw error;
  }
  const calls = input.last ? [] : said.calls;
  const { finish_reason, usage } = said;
  return [
    ...textFacts(said),
    ...calls,
    { type: "step_finished", payload: { finish_reason, usage } },
  ];
}

const idleLimit = ({ max_step_duration }: AgentRecord): number =>
  max_step_duration > 0 ? max_step_duration * 1000 : IDLE_MS;

function toCall({ agent, run, last, tools }: ModelCall): ChatModelCall {
  const prompt = toPrompt(agent.system, run.transcript);
  if (last) prompt.push({ role: "system", content: LAST_STEP_NOTE });
  return {
    prompt,
    ...(tools.length > 0 && !last ? { tools: tools.map(toFunctionTool) } : {}),
    ...(agent.temperature === undefined ? {} : { temperature: agent.temperature }),
    ...(agent.top_p === undefined ? {} : { topP: agent.top_p }),
    ...(agent.max_tokens === undefined ? {} : { maxOutputTokens: agent.max_tokens }),
    ...(agent.stop_sequences.length === 0 ? {} : { stopSequences: agent.stop_sequences }),
  };
}

function partTaker(said: Said, channel: TurnChannel) {
  return (part: LanguageModelV4StreamPart): void => {
    switch (part.type) {
      case "text-delta":
        if (part.delta === "") return;
        said.text += part.delta;
        channel.delta("message_delta", part.delta);
        return;
      case "reasoning-delta":
        if (part.delta === "") return;
        said.reasoning += part.delta;
        channel.delta("thinking", part.delta);
        return;
      case "reasoning-end":
        said.reasoning_metadata = metadataOf(part) ?? said.reasoning_metadata;
        return;
      case "tool-call":
        said.calls.push(toolCall(said, part));
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

function toolCall(said: Said, part: ToolCallPart): Fact & { type: "tool_call" } {
  // Some servers send no id, or the same one twice; a call must be told from every other.
  const known = said.calls.some(({ call_id }) => call_id === part.toolCallId);
  const call_id = known || !part.toolCallId ? newUuid() : part.toolCallId;
  const { toolName: tool, input } = part;
  return {
    type: "tool_call",
    call_id,
    payload: { tool, input, provider_metadata: metadataOf(part) },
  };
}

const metadataOf = (part: { providerMetadata?: unknown }) =>
  part.providerMetadata as ProviderMetadata | undefined;

function textFacts({ text, reasoning, reasoning_metadata }: Said): Fact[] {
  const facts: Fact[] = [];
  if (reasoning) {
    const payload = { content: reasoning, provider_metadata: reasoning_metadata };
    facts.push({ type: "reasoning", payload });
  }
  if (text) facts.push({ type: "assistant_message", payload: { content: text } });
  return facts;
}

const toUsage = ({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage => ({
  prompt_tokens: inputTokens.total,
  completion_tokens: outputTokens.total,
  cached_prompt_tokens: inputTokens.cacheRead,
});
