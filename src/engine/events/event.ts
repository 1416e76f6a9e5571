import { z } from "zod";
import type { InterruptKind } from "../interrupts/interrupt.ts";
import type { ErrorCode } from "../kernel/error.ts";
import { Timestamp } from "../kernel/fields.ts";
import type { Citation } from "../knowledge/citation.ts";
import { SHOW_STRUCTURED_OUTPUT, type StructuredOutput } from "../tools/structured-output.ts";

/** Provider data that must come back with the next request, such as a reasoning signature. */
export type ProviderMetadata = Record<string, Record<string, unknown>>;

/** Tokens of one step or one turn; a count is absent when the provider did not tell it. */
export interface Usage {
  readonly prompt_tokens?: number | undefined;
  readonly completion_tokens?: number | undefined;
  readonly cached_prompt_tokens?: number | undefined;
}

/** A paused turn waits for a person; it goes on under the same id. */
export type TurnOutcome = "completed" | "paused" | "failed" | "cancelled";

/**
 * What happened in a session, one durable fact each. The first group is what clients read; the second
 * is the engine's own record of where a turn stands.
 */
export type Fact =
  | { readonly type: "user_message"; readonly payload: { readonly content: string } }
  | { readonly type: "assistant_message"; readonly payload: ModelText }
  | { readonly type: "reasoning"; readonly payload: ModelText }
  | { readonly type: "system"; readonly payload: NotePayload }
  | { readonly type: "tool_call"; readonly call_id: string; readonly payload: ToolCallPayload }
  | { readonly type: "tool_result"; readonly call_id: string; readonly payload: ToolResultPayload }
  | {
      readonly type: "interrupt_request";
      readonly call_id: string;
      readonly payload: InterruptPayload;
    }
  | { readonly type: "interrupt_resume"; readonly call_id: string; readonly payload: ResumePayload }
  | { readonly type: "interrupt_abandoned"; readonly call_id: string; readonly payload: object }
  | {
      readonly type: "confirmation_request";
      readonly call_id: string;
      readonly payload: GatePayload;
    }
  | { readonly type: "confirmation_answer"; readonly call_id: string; readonly payload: GateAnswer }
  | { readonly type: "context_trimmed"; readonly payload: TrimPayload }
  | { readonly type: "run_started"; readonly payload: RunPayload }
  | { readonly type: "tool_started"; readonly call_id: string; readonly payload: object }
  | { readonly type: "step_finished"; readonly payload: StepPayload }
  | { readonly type: "turn_recovered"; readonly payload: { readonly attempt: number } }
  | { readonly type: "turn_finished"; readonly payload: TurnFinishedPayload };

/** What the engine itself tells the model. */
interface NotePayload {
  readonly content: string;
  /** Why it does: `loop` counts as a warning. */
  readonly kind?: "loop" | undefined;
}

interface ModelText {
  readonly content: string;
  readonly provider_metadata?: ProviderMetadata | undefined;
}

export interface ToolCallPayload {
  readonly tool: string;
  /** The arguments exactly as the model wrote them: JSON text, or what it took for that. */
  readonly input: string;
  readonly provider_metadata?: ProviderMetadata | undefined;
}

export interface ToolResultPayload {
  readonly tool: string;
  readonly content: string;
  readonly is_error?: true | undefined;
  /** Written by somebody else: the model is told not to take it for orders. */
  readonly is_untrusted?: true | undefined;
  /** The passages that `content` gives by number. */
  readonly citations?: readonly Citation[] | undefined;
  readonly duration_ms: number;
}

/** The event's `call_id` is the interrupt's id, as clients expect (contract 2.5). */
export interface InterruptPayload {
  /** The tool call that waits for the answer. */
  readonly tool_call_id: string;
  readonly kind: InterruptKind;
  readonly block: StructuredOutput;
}

interface ResumePayload {
  readonly tool_call_id: string;
  readonly kind: InterruptKind;
  readonly payload: unknown;
  /** What was asked, so that the answers can be told with their questions. */
  readonly block: StructuredOutput;
}

interface GatePayload {
  readonly tool: string;
  /** The question to the person, with the exact arguments. */
  readonly content: string;
  /** Unanswered until then, the call is rejected. */
  readonly expires_at: string;
  /** What the tool was like, where that can change. */
  readonly digest?: string | undefined;
}

export interface GateAnswer {
  readonly is_approved: boolean;
  readonly reason?: string | undefined;
}

/** What no longer fits into the model's context: it stays in the log, but is not told any more. */
export interface TrimPayload {
  /** For people. */
  readonly content: string;
  /** So many facts at the beginning of the transcript are left out. */
  readonly dropped: number;
  /** What the model is told in their place. */
  readonly digest: string;
  /** The results of these calls are shortened. */
  readonly shortened: readonly string[];
}

/** A sub-agent begins; its run has the id of the call that spawned it. */
interface RunPayload {
  readonly agent_name: string;
  readonly parent_run_id?: string | undefined;
  readonly input: string;
}

interface StepPayload {
  readonly finish_reason: string;
  readonly usage: Usage;
  /** Length of the prompt, to learn from `usage` how many characters make a token. */
  readonly prompt_characters?: number | undefined;
  /** It got no tools, so that it had to answer. */
  readonly is_last?: true | undefined;
}

interface TurnFinishedPayload {
  readonly outcome: TurnOutcome;
  readonly usage: Usage;
  /** Size of the last prompt: how full the context is. */
  readonly context_tokens?: number | undefined;
  readonly error?: { readonly code: ErrorCode; readonly message: string } | undefined;
}

/** A fact in its place: `seq` counts a session's events from 1 without gaps. */
export type Event = Fact & {
  readonly session_id: string;
  readonly seq: number;
  readonly id: string;
  readonly turn_id: string;
  /** Whose run within the turn: a sub-agent's has the id of the call that spawned it. */
  readonly run_id?: string | undefined;
  readonly agent_id: string;
  readonly created_at: string;
};

/** Names an event and, as logs only grow at their end, everything before it. */
export type EventPlace = Pick<Event, "seq" | "id">;

const PUBLIC_TYPES = [
  "user_message",
  "assistant_message",
  "reasoning",
  "system",
  "tool_call",
  "tool_result",
  "interrupt_request",
  "interrupt_resume",
] as const;

/** A persisted event as clients read it (contract 2.5). */
export const PublicEvent = z.object({
  id: z.string(),
  event_type: z.enum(PUBLIC_TYPES),
  agent_id: z.string().optional(),
  call_id: z.string().optional(),
  /** Set for what a sub-agent did: the call that spawned it. */
  parent_call_id: z.string().optional(),
  payload: z.record(z.string(), z.unknown()),
  created_at: Timestamp,
});
export type PublicEvent = z.infer<typeof PublicEvent>;

/** The events clients may read, in their public form; the engine's own bookkeeping is left out. */
export const toPublicEvents = (events: readonly Event[]): PublicEvent[] =>
  events.flatMap((event) => {
    const payload = publicPayload(event);
    if (!payload) return [];
    const { id, agent_id, run_id, created_at } = event;
    const event_type = event.type === "context_trimmed" ? "system" : event.type;
    return [
      {
        id,
        event_type: event_type as PublicEvent["event_type"],
        agent_id,
        call_id: "call_id" in event ? event.call_id : undefined,
        parent_call_id: run_id,
        payload,
        created_at,
      },
    ];
  });

/** A form is told by its interrupt, not by the call that made it (contract 4.16). */
export const isShownAsInterrupt = (tool: string): boolean => tool === SHOW_STRUCTURED_OUTPUT;

function publicPayload(event: Event): Record<string, unknown> | undefined {
  switch (event.type) {
    case "user_message":
    case "assistant_message":
    case "reasoning":
    case "system":
    case "context_trimmed":
      return { content: event.payload.content };
    case "interrupt_request":
    case "interrupt_resume":
      return { content: interruptContent(event) };
    case "tool_call":
      if (isShownAsInterrupt(event.payload.tool)) return undefined;
      return { tool: event.payload.tool, arguments: argumentTexts(event.payload.input) };
    case "tool_result": {
      const { tool, content, is_error, citations } = event.payload;
      if (isShownAsInterrupt(tool)) return undefined;
      return { tool, content, ...(is_error && { is_error }), ...(citations && { citations }) };
    }
    default:
      return undefined;
  }
}

/** The JSON text of contract 2.7. */
export function interruptContent(
  event: Fact & { type: "interrupt_request" | "interrupt_resume" },
): string {
  const { call_id: interrupt_id } = event;
  const { kind } = event.payload;
  return event.type === "interrupt_request"
    ? JSON.stringify({ interrupt_id, kind, schema: event.payload.block })
    : JSON.stringify({ interrupt_id, kind, payload: event.payload.payload });
}

/** The arguments as a map of texts; absent when the model did not write a JSON object. */
export function argumentTexts(input: string): Record<string, string> | undefined {
  const parsed = parseJson(input);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return undefined;
  return Object.fromEntries(
    Object.entries(parsed).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface EventReads {
  /** In order, those after `after_seq` only. */
  list(session_id: string, after_seq?: number): Promise<Event[]>;
  /** The event by which a turn entered the log. */
  firstOfTurn(session_id: string, turn_id: string): Promise<Event | undefined>;
  /** The event of this type that tells of a call or an interrupt. */
  ofCall(session_id: string, type: Fact["type"], call_id: string): Promise<Event | undefined>;
  /** 0 when the session has no events. */
  lastSeq(session_id: string): Promise<number>;
}

export interface EventWrites extends EventReads {
  /** Throws `conflict` when another writer has taken one of the places. */
  append(events: readonly Event[]): Promise<void>;
}
