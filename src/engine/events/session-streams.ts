import { type FrameListener, isLastFrame } from "./channel.ts";
import { frameId, seqOfFrame, type WireFrame } from "./wire.ts";

/** What happens in sessions now, whichever turn it belongs to, for those who follow a whole session. */
export interface SessionStreams {
  send(session_id: string, frame: WireFrame): void;
  follow(session_id: string, listener: FrameListener): () => void;
  /** What the running step said behind a frame: a log does not tell it yet. */
  deltas(session_id: string, after_id: number): WireFrame[];
}

type DeltaFrame = Extract<WireFrame, { event: "message_delta" | "thinking" }>;

/** A stretch of deltas of one kind as one text: a token costs a number, not an object. */
interface Stretch {
  readonly event: DeltaFrame["event"];
  readonly turn_id: string;
  readonly first_id: number;
  last_id: number;
  text: string;
  /** Where each delta ends in the text; ids in between count up by one. */
  readonly ends: number[];
}

export function createSessionStreams(): SessionStreams {
  const listeners = new Map<string, Set<FrameListener>>();
  const running = new Map<string, Stretch[]>();

  const keep = (session_id: string, frame: WireFrame): void => {
    const is_durable = frame.id === frameId(seqOfFrame(frame.id));
    if (is_durable || isLastFrame(frame)) running.delete(session_id);
    else if (isDelta(frame)) keepDelta(session_id, frame);
  };
  const keepDelta = (session_id: string, frame: DeltaFrame): void => {
    const stretches = running.get(session_id) ?? [];
    if (stretches.length === 0) running.set(session_id, stretches);
    const last = stretches.at(-1);
    if (last?.event === frame.event) extend(last, frame);
    else stretches.push(extend(begin(frame), frame));
  };

  return {
    send(session_id, frame) {
      keep(session_id, frame);
      for (const listener of listeners.get(session_id) ?? []) listener(frame);
    },
    follow(session_id, listener) {
      const followers = listeners.get(session_id) ?? new Set();
      listeners.set(session_id, followers.add(listener));
      return () => {
        followers.delete(listener);
        if (followers.size === 0) listeners.delete(session_id);
      };
    },
    deltas: (session_id, after_id) =>
      (running.get(session_id) ?? []).flatMap((stretch) => restOf(stretch, after_id)),
  };
}

const isDelta = (frame: WireFrame): frame is DeltaFrame =>
  frame.event === "message_delta" || frame.event === "thinking";

const begin = ({ event, turn_id, id }: DeltaFrame): Stretch => ({
  event,
  turn_id,
  first_id: id,
  last_id: id,
  text: "",
  ends: [],
});

function extend(stretch: Stretch, { id, data }: DeltaFrame): Stretch {
  stretch.text += data.content;
  stretch.last_id = id;
  stretch.ends.push(stretch.text.length);
  return stretch;
}

/** What somebody has not seen of a stretch, as one frame. */
function restOf(stretch: Stretch, after_id: number): WireFrame[] {
  const { event, turn_id, first_id, last_id, text, ends } = stretch;
  if (last_id <= after_id) return [];
  const seen = after_id < first_id ? 0 : (ends[after_id - first_id] ?? 0);
  return [{ event, turn_id, id: last_id, data: { content: text.slice(seen) } }];
}
