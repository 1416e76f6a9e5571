import type { ConnectionChange } from "#cli/client.ts";
import type { PublicEvent } from "#engine/events/event.ts";
import type { WireFrame } from "#engine/events/wire.ts";
import { type EntryContent, openAsk, restoredEntries } from "./chat-entries.ts";
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

export type ChatAction =
  | { readonly type: "sent"; readonly text: string; readonly at: number }
  | { readonly type: "accepted"; readonly session_id: string }
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
  | { readonly type: "noted"; readonly text: string }
  | { readonly type: "connection"; readonly change: ConnectionChange }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "details"; readonly expanded: boolean };

/** The chat after something happened. Pure: the clock's time comes with the action. */
export function reduce(state: ChatState, action: ChatAction): ChatState {
  switch (action.type) {
    case "sent":
      return {
        ...withEntries(state, [{ kind: "user", text: action.text }]),
        activity: "busy",
        ask: undefined,
        turn: { ...NO_TURN, started_at: action.at, outcome: "running" },
      };
    case "accepted":
      return { ...state, session_id: action.session_id };
    case "frames":
      return joinDeltas(action.frames).reduce(
        (next, frame) => reduceFrame(next, frame, action.at),
        state,
      );
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
        { ...state, session_id: undefined, ask: undefined, usage: initialState.usage },
        [{ kind: "notice", text: "New session." }],
      );
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
    ask: state.ask?.kind === "confirmation" ? undefined : state.ask,
    turn: { ...ended.turn, outcome: is_lost ? "lost" : ended.turn.outcome },
  };
}

function restore(state: ChatState, session_id: string, events: readonly PublicEvent[]): ChatState {
  const notice: EntryContent = { kind: "notice", text: `Session ${session_id}` };
  const restored = withEntries(state, [notice, ...restoredEntries(session_id, events)]);
  const ask = openAsk(session_id, events);
  return { ...restored, session_id, ask, loading: false, usage: initialState.usage };
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
