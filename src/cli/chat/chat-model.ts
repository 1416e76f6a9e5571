import type { OpenAsk } from "./asks.ts";
import type { Entry, EntryContent, ToolCall } from "./chat-entries.ts";
import { emptyStream, finish, type MarkdownStream } from "./markdown-stream.ts";
import { type Cited, nothingCited, sourcesOf } from "./sources.ts";

export interface ChatState {
  /** Finished entries, shown once each: the list only grows. */
  readonly entries: readonly Entry[];
  readonly session_id?: string | undefined;
  /** How many turns of the session have begun, as far as this chat has told. */
  readonly turns: number;
  /** The id of the last frame that came; of a session that was read there is none. */
  readonly seen?: number | undefined;
  readonly activity: "idle" | "busy" | "stopping";
  /** The turn that runs, or ran last. */
  readonly turn: Turn;
  /** The answer that is being written. */
  readonly answer: MarkdownStream;
  readonly reasoning: string;
  /** Calls without a result. */
  readonly tools: readonly ToolCall[];
  /** What a person is asked for, in the order it came. */
  readonly asks: readonly OpenAsk[];
  /** Who has the keyboard while something is asked; `auto` is the question, unless a text is begun. */
  readonly focus: "auto" | "ask" | "composer";
  /** When the present question came. */
  readonly asked_at: number;
  /** Messages that wait for the turn to end. */
  readonly queue: readonly string[];
  readonly cited: Cited;
  readonly usage: Usage;
  /** A session is being fetched: what is sent now would stand before it. */
  readonly loading: boolean;
  /** Entries to come are shown with their details. */
  readonly expanded: boolean;
}

export interface Turn {
  readonly started_at: number;
  readonly outcome: "running" | "done" | "failed" | "stopped" | "lost";
  readonly reasoning_since?: number | undefined;
  /** Pieces of the present answer that are in the transcript already. */
  readonly answer_pieces: number;
  /** The length of an answer that was ended by a tool call before its `message` came. */
  readonly closed_answer: number;
}

export interface Usage {
  readonly total_tokens: number;
  readonly context_tokens?: number | undefined;
}

export const NO_TURN: Turn = { started_at: 0, outcome: "done", answer_pieces: 0, closed_answer: 0 };

export const initialState: ChatState = {
  entries: [{ id: 0, kind: "header", expanded: false }],
  turns: 0,
  activity: "idle",
  turn: NO_TURN,
  answer: emptyStream,
  reasoning: "",
  tools: [],
  asks: [],
  focus: "auto",
  asked_at: 0,
  queue: [],
  cited: nothingCited,
  usage: { total_tokens: 0 },
  loading: false,
  expanded: false,
};

export function withEntries(state: ChatState, contents: readonly EntryContent[]): ChatState {
  if (contents.length === 0) return state;
  const first = state.entries.length;
  const added = contents.map((content, index) => ({
    ...content,
    id: first + index,
    expanded: state.expanded,
  }));
  return { ...state, entries: [...state.entries, ...added] };
}

/** What the turn's answer rests on, below it. */
export function withSources(state: ChatState): ChatState {
  const sources = sourcesOf(state.cited);
  return sources.length === 0 ? state : withEntries(state, [{ kind: "sources", sources }]);
}

/** Moves what is being written to the transcript. */
export function settle(state: ChatState, at: number): ChatState {
  return settleAnswer(settleReasoning(state, at));
}

export function settleReasoning(state: ChatState, at: number): ChatState {
  if (state.reasoning === "") return state;
  const duration_ms = at - (state.turn.reasoning_since ?? at);
  return {
    ...withEntries(state, [{ kind: "reasoning", text: state.reasoning, duration_ms }]),
    reasoning: "",
    turn: { ...state.turn, reasoning_since: undefined },
  };
}

export function settleAnswer(state: ChatState): ChatState {
  const pieces = finish(state.answer).map(
    (piece, index): EntryContent => ({
      kind: "assistant",
      ...piece,
      opening: state.turn.answer_pieces + index === 0,
    }),
  );
  return {
    ...withEntries(state, pieces),
    answer: emptyStream,
    turn: { ...state.turn, answer_pieces: 0, closed_answer: state.answer.received },
  };
}
