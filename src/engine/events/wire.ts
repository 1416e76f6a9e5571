import type { Citation } from "../knowledge/citation.ts";

/**
 * What a client of a turn receives, frame by frame (specification section 6). The SSE stream, the
 * collected JSON answer and the terminal client all read this one union.
 */
export type WireEvent =
  | { readonly event: "thinking"; readonly data: { readonly content: string } }
  | { readonly event: "message_delta"; readonly data: { readonly content: string } }
  | { readonly event: "message"; readonly data: { readonly content: string } }
  | { readonly event: "tool_call"; readonly data: ToolCallData }
  | { readonly event: "tool_result"; readonly data: ToolResultData }
  | { readonly event: "confirmation"; readonly data: ConfirmationData }
  | { readonly event: "interrupt_request"; readonly data: InterruptData }
  | { readonly event: "interrupt_resume"; readonly data: InterruptData }
  | { readonly event: "done"; readonly data: DoneData }
  | { readonly event: "error"; readonly data: ErrorData };

export interface ToolCallData {
  readonly tool: string;
  readonly call_id: string;
  /** Values that are not strings are given as their JSON text. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** The arguments as the model wrote them, JSON text. */
  readonly input: string;
}

export interface ToolResultData {
  readonly tool: string;
  readonly call_id: string;
  readonly content: string;
  readonly summary: string;
  readonly has_error: boolean;
  /** The passages that the result gives by number, also those behind a sub-agent's answer. */
  readonly citations?: readonly Citation[];
}

export interface ConfirmationData {
  readonly content: string;
  readonly call_id: string;
  readonly tool?: string;
  readonly session_id: string;
}

/** Of a form; or a resume of an approval that a sub-agent waited for, `interrupt_id` being its `call_id`. */
export interface InterruptData {
  readonly interrupt_id: string;
  /** JSON text: `{interrupt_id, kind, schema}` of a request, `{interrupt_id, kind, payload}` of a resume. */
  readonly content: string;
  readonly session_id?: string;
}

/** Token counts are present only when the provider told them. */
export interface DoneData {
  readonly session_id: string;
  readonly total_tokens?: number;
  readonly context_tokens?: number;
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly cached_prompt_tokens?: number;
}

export interface ErrorData {
  readonly content: string;
  readonly code: string;
  /** The same text as `content`: some clients read only this one. */
  readonly message: string;
}

/** A wire event with the place in the session's stream after which a client can resume. */
export type WireFrame = WireEvent & { readonly id: number; readonly turn_id: string };

/** Deltas after one durable event; ids of a longer step would run into the next event's. */
const DELTAS_PER_EVENT = 1_000_000;

/**
 * The frame's `id:`. Durable events have whole multiples, so a delta's id names the event it follows:
 * ids only ever grow, also across a restart that lost the deltas.
 */
export const frameId = (seq: number, delta = 0): number =>
  seq * DELTAS_PER_EVENT + Math.min(delta, DELTAS_PER_EVENT - 1);

/** The last durable event a client that saw frame `id` has seen. */
export const seqOfFrame = (id: number): number => Math.floor(id / DELTAS_PER_EVENT);
