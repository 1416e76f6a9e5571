import { type FrameListener, isLastFrame } from "./channel.ts";
import { frameId, seqOfFrame, type WireFrame } from "./wire.ts";

/** What happens in sessions now, whichever turn it belongs to, for those who follow a whole session. */
export interface SessionStreams {
  send(session_id: string, frame: WireFrame): void;
  follow(session_id: string, listener: FrameListener): () => void;
  /** The deltas since the last durable event: what a log does not tell of the running step. */
  deltas(session_id: string): readonly WireFrame[];
}

export function createSessionStreams(): SessionStreams {
  const listeners = new Map<string, Set<FrameListener>>();
  const deltas = new Map<string, WireFrame[]>();

  const keep = (session_id: string, frame: WireFrame): void => {
    const is_delta = frame.id !== frameId(seqOfFrame(frame.id));
    if (!is_delta || isLastFrame(frame)) {
      deltas.delete(session_id);
      return;
    }
    const kept = deltas.get(session_id);
    if (kept) kept.push(frame);
    else deltas.set(session_id, [frame]);
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
    deltas: (session_id) => deltas.get(session_id) ?? [],
  };
}
