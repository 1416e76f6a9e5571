import type { ConnectionChange } from "#cli/client/client.ts";
import type { PublicEvent } from "#engine/events/event.ts";
import type { WireFrame } from "#engine/events/wire.ts";
import type { AnswerKey } from "./answer-keys.ts";
import { pressAsk } from "./ask-press.ts";
import {
  abandonForms,
  answerFailed,
  type Room,
  settleAsks,
  unanswered,
  verdictTaken,
} from "./asks.ts";
import type { EntryContent } from "./chat-entries.ts";
import { reduceFrame } from "./chat-frames.ts";
import {
  type ChatState,
  initialState,
  NO_TURN,
  settle,
  settleAnswer,
  withEntries,
} from "./chat-model.ts";
import { connectionNotice } from "./connection-notice.ts";
import { beginnings, restoreSession } from "./restored-entries.ts";
import { nextTurn, nothingCited } from "./sources.ts";

export type ChatAction =
  | { readonly type: "sent"; readonly text: string; readonly at: number }
  /** The answer to a form begins a turn. */
  | { readonly type: "resumed"; readonly at: number }
  /** A turn that runs already is followed from its beginning. */
  | { readonly type: "joined"; readonly at: number }
  | {
      readonly type: "accepted";
      readonly session_id: string;
      /** What began the turn here; one that was joined began elsewhere. */
      readonly begun_by: "message" | "answer" | undefined;
    }
  /** A turn of somebody else began, with a message or with the answer to a form. */
  | { readonly type: "begun_elsewhere"; readonly events: readonly PublicEvent[] }
  | { readonly type: "frames"; readonly frames: readonly WireFrame[]; readonly at: number }
  | { readonly type: "ended"; readonly at: number; readonly failure?: string | undefined }
  | { readonly type: "stopping" }
  | { readonly type: "stop_failed"; readonly message: string }
  | { readonly type: "loading" }
  | { readonly type: "queued"; readonly text: string }
  | { readonly type: "queue_taken"; readonly count: number }
  | {
      readonly type: "restored";
      readonly session_id: string;
      readonly events: readonly PublicEvent[];
    }
  | { readonly type: "session_left" }
  | { readonly type: "ask_key"; readonly key: AnswerKey; readonly room: Room }
  | { readonly type: "ask_focus"; readonly focus: ChatState["focus"]; readonly at: number }
  | { readonly type: "verdict_taken"; readonly key: string; readonly at: number }
  | {
      readonly type: "answer_failed";
      readonly key: string;
      readonly message: string;
      /** Nobody waits for the answer any more. */
      readonly is_gone: boolean;
      readonly at: number;
    }
  | { readonly type: "noted"; readonly text: string }
  | { readonly type: "connection"; readonly change: ConnectionChange }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "details"; readonly expanded: boolean };

/** The chat after something happened. Pure: the clock's time comes with the action. */
export function reduce(state: ChatState, action: ChatAction): ChatState {
  switch (action.type) {
    case "sent":
      return startTurn(withEntries(state, [{ kind: "user", text: action.text }]), action.at);
    case "resumed":
    case "joined":
      return startTurn(state, action.at);
    case "accepted":
      return {
        ...(action.begun_by === "message" ? abandonForms(state) : state),
        session_id: action.session_id,
        turns: state.turns + (action.begun_by ? 1 : 0),
      };
    case "begun_elsewhere":
      return beginElsewhere(state, action.events);
    case "frames":
      return takeFrames(state, action.frames, action.at);
    case "ended":
      return endTurn(state, action.at, action.failure);
    case "stopping":
      return state.activity === "busy" ? { ...state, activity: "stopping" } : state;
    case "stop_failed":
      return {
        ...withEntries(state, [{ kind: "error", message: action.message }]),
        activity: state.activity === "stopping" ? "busy" : state.activity,
      };
    case "loading":
      return { ...state, loading: true };
    case "queued":
      return { ...state, queue: [...state.queue, action.text] };
    case "queue_taken":
      return { ...state, queue: state.queue.slice(action.count) };
    case "restored":
      return restore(state, action.session_id, action.events);
    case "session_left":
      return withEntries(
        {
          ...state,
          session_id: undefined,
          turns: 0,
          seen: undefined,
          asks: [],
          cited: nothingCited,
          usage: initialState.usage,
        },
        [{ kind: "notice", text: "New session." }],
      );
    case "ask_key":
      return pressAsk(state, action.key, action.room);
    case "ask_focus":
      return { ...state, focus: action.focus, asked_at: action.at };
    case "verdict_taken":
      return verdictTaken(state, action.key, action.at);
    case "answer_failed":
      return answerFailed(state, action, action.at);
    case "connection":
      return changeConnection(state, action.change);
    case "noted":
      return withEntries(state, [{ kind: "notice", text: action.text }]);
    case "failed":
      return {
        ...withEntries(state, [{ kind: "error", message: action.message }]),
        loading: false,
      };
    case "details":
      return setDetails(state, action.expanded);
  }
}

const startTurn = (state: ChatState, at: number): ChatState => ({
  ...state,
  activity: "busy",
  cited: nextTurn(state.cited),
  turn: { ...NO_TURN, started_at: at, outcome: "running" },
});

const takeFrames = (state: ChatState, frames: readonly WireFrame[], at: number): ChatState => ({
  ...joinDeltas(frames).reduce((next, frame) => reduceFrame(next, frame, at), state),
  seen: frames.at(-1)?.id ?? state.seen,
});

/** The answer to a form is told by its frames; a message has none. */
function beginElsewhere(state: ChatState, events: readonly PublicEvent[]): ChatState {
  const begun = beginnings(events);
  const last = begun.at(-1);
  const next = { ...state, turns: begun.length };
  if (begun.length <= state.turns || last?.event_type !== "user_message") return next;
  return withEntries(abandonForms(next), [
    { kind: "notice", text: "Written elsewhere:" },
    { kind: "user", text: String(last.payload.content) },
  ]);
}

/** A step that is done again begins its text anew; what is in the scrollback already stays there. */
function changeConnection(state: ChatState, change: ConnectionChange): ChatState {
  const told = withEntries(change === "restarted" ? settleAnswer(state) : state, [
    { kind: "notice", text: connectionNotice(change) },
  ]);
  return change === "restarted"
    ? { ...told, reasoning: "", turn: { ...told.turn, closed_answer: 0 } }
    : told;
}

/** The frames of a turn are over, whether or not the last one said so. */
function endTurn(state: ChatState, at: number, failure: string | undefined): ChatState {
  const settled = settle(state, at);
  const calls = settled.tools.map((call): EntryContent => ({ kind: "tool", call }));
  const is_lost = failure !== undefined || state.turn.outcome === "running";
  const message = failure ?? "The connection ended before the answer was complete.";
  const ended = withEntries(settled, [
    ...calls,
    ...(is_lost ? [{ kind: "error", message } as const] : []),
  ]);
  return {
    ...ended,
    tools: [],
    activity: "idle",
    asks: settleAsks(state.asks),
    turn: { ...ended.turn, outcome: is_lost ? "lost" : ended.turn.outcome },
  };
}

function restore(state: ChatState, session_id: string, events: readonly PublicEvent[]): ChatState {
  const notice: EntryContent = { kind: "notice", text: `Session ${session_id}` };
  const { entries, pending, cited } = restoreSession(events);
  return {
    ...withEntries(state, [notice, ...entries]),
    session_id,
    turns: beginnings(events).length,
    seen: undefined,
    asks: pending.map(unanswered),
    cited,
    focus: "auto",
    loading: false,
    usage: initialState.usage,
  };
}

/** Turning the details on also tells those of the last turn, which are shown short already. */
function setDetails(state: ChatState, expanded: boolean): ChatState {
  const since = state.entries.findLastIndex(({ kind }) => kind === "user");
  const short = state.entries
    .slice(Math.max(0, since))
    .filter((entry) => !entry.expanded && (entry.kind === "tool" || entry.kind === "reasoning"));
  const text = expanded ? "Details are shown from here on." : "Details are hidden from here on.";
  const noted = withEntries({ ...state, expanded }, [{ kind: "notice", text }]);
  return expanded ? withEntries(noted, short) : noted;
}

/** Chunks that came together are parsed together. */
function joinDeltas(frames: readonly WireFrame[]): WireFrame[] {
  const joined: WireFrame[] = [];
  for (const frame of frames) {
    const last = joined.at(-1);
    if (frame.event === "message_delta" && last?.event === "message_delta") {
      joined[joined.length - 1] = {
        ...frame,
        data: { content: last.data.content + frame.data.content },
      };
    } else {
      joined.push(frame);
    }
  }
  return joined;
}
