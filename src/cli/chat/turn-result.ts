import type { DoneData, WireFrame } from "#engine/events/wire.ts";
import type { Citation } from "#engine/knowledge/citation.ts";
import { needsAnswer, parseInterrupt } from "./interrupt.ts";
import { type Cited, nothingCited, sourcesOf, withFound, withSaid } from "./sources.ts";

/** A turn in one record: the last line of `--json`. */
export interface TurnResult {
  readonly session_id: string;
  /** The last complete message, or what came of one. */
  readonly message: string;
  readonly tool_calls: readonly ToolCallResult[];
  /** The passages that the answer names, or else all that were found for it. */
  readonly sources?: readonly Citation[] | undefined;
  readonly usage?: Omit<DoneData, "session_id"> | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /** What the turn waits for, when it did not end but paused. */
  readonly paused?: Pause | undefined;
}

interface Pause extends Readonly<Record<string, unknown>> {
  readonly interrupt_id: string;
}

interface ToolCallResult {
  readonly tool: string;
  readonly call_id: string;
  /** The arguments, JSON text. */
  readonly input: string;
  readonly output?: string | undefined;
  readonly has_error?: boolean | undefined;
}

/** A turn as far as it came. */
export interface TurnProgress extends TurnResult {
  readonly is_done: boolean;
  /** Text of a message that is not complete. */
  readonly written: string;
  readonly cited: Cited;
}

export const startedTurn = (session_id: string): TurnProgress => ({
  session_id,
  message: "",
  tool_calls: [],
  is_done: false,
  written: "",
  cited: nothingCited,
});

/** The turn after one more event. */
export function withFrame(turn: TurnProgress, frame: WireFrame): TurnProgress {
  switch (frame.event) {
    case "message_delta":
      return { ...turn, written: turn.written + frame.data.content };
    case "message": {
      const { content } = frame.data;
      const cited = withSaid(turn.cited, content);
      return { ...turn, written: "", message: content || turn.message, cited };
    }
    case "tool_call": {
      const { tool, call_id, input } = frame.data;
      return { ...turn, tool_calls: [...turn.tool_calls, { tool, call_id, input }] };
    }
    case "tool_result": {
      const { call_id, content: output, has_error } = frame.data;
      const tool_calls = turn.tool_calls.map((call) =>
        call.call_id === call_id ? { ...call, output, has_error } : call,
      );
      return { ...turn, tool_calls, cited: withFound(turn.cited, frame.data.citations) };
    }
    case "interrupt_request": {
      const { interrupt_id, content } = frame.data;
      // What is only shown waits for nobody.
      if (!needsAnswer(parseInterrupt(content).block)) return turn;
      return { ...turn, paused: pauseOf(interrupt_id, content) };
    }
    case "interrupt_resume":
      // An approval may be answered while a form still waits.
      return frame.data.interrupt_id === turn.paused?.interrupt_id
        ? { ...turn, paused: undefined }
        : turn;
    case "error":
      return { ...turn, error: { code: frame.data.code, message: frame.data.message } };
    case "done": {
      const { session_id, ...usage } = frame.data;
      return {
        ...turn,
        session_id,
        is_done: true,
        ...(Object.keys(usage).length > 0 ? { usage } : {}),
      };
    }
    case "thinking":
    case "confirmation":
      return turn;
  }
}

function pauseOf(interrupt_id: string, content: string): Pause {
  try {
    return { ...JSON.parse(content), interrupt_id };
  } catch {
    return { interrupt_id, content };
  }
}

const CUT = {
  code: "connection_lost",
  message: "the connection ended before the answer was complete",
};

/** A stream that ended without `done` or `error` was cut: what came may be a part of the answer. */
export function resultOf({ is_done, written, cited, ...turn }: TurnProgress): TurnResult {
  const sources = sourcesOf(cited);
  const message = written || turn.message;
  const result = { ...turn, message, ...(sources.length > 0 && { sources }) };
  return is_done || turn.error ? result : { ...result, error: CUT };
}
