import type { EngineError } from "../kernel/error.ts";
import type { Event } from "./event.ts";
import { toFrame } from "./project.ts";
import { frameId, type WireFrame } from "./wire.ts";

export type DeltaListener = (event: "message_delta" | "thinking", content: string) => void;

export type FrameListener = (frame: WireFrame) => void;

/** A turn's live stream: durable events and the deltas between them, to whoever follows. */
export interface TurnChannel {
  /** Transient: a follower that comes later gets the whole text with the durable event. */
  readonly delta: DeltaListener;
  publish(events: readonly Event[]): void;
  /** Where in the session's log the turn begins: the ids of its deltas count from there. */
  startAt(seq: number): void;
  /** Frames from before the first follower are kept for it. Returns how to stop following. */
  follow(listener: FrameListener): () => void;
  /** Ends the stream without a durable event: this process can't go on with the turn. */
  fail(error: EngineError): void;
}

/** `forward` gets every frame, also those that nobody follows. */
export function createTurnChannel(
  turn_id: string,
  forward: FrameListener = () => undefined,
): TurnChannel {
  const listeners = new Set<FrameListener>();
  let backlog: WireFrame[] | undefined = [];
  let seq = 0;
  let deltas = 0;

  const send = (frame: WireFrame): void => {
    if (backlog) backlog.push(frame);
    for (const listener of listeners) listener(frame);
    forward(frame);
  };

  return {
    delta(event, content) {
      deltas += 1;
      send({ id: frameId(seq, deltas), turn_id, event, data: { content } });
    },
    startAt(last_seq) {
      seq = last_seq;
    },
    publish(events) {
      for (const event of events) {
        seq = event.seq;
        deltas = 0;
        const frame = toFrame(event);
        if (frame) send(frame);
      }
    },
    fail({ code, message }) {
      const data = { content: message, code, message };
      send({ id: frameId(seq, deltas + 1), turn_id, event: "error", data });
    },
    follow(listener) {
      const missed = backlog ?? [];
      backlog = undefined;
      listeners.add(listener);
      for (const frame of missed) listener(frame);
      return () => listeners.delete(listener);
    },
  };
}

/** `done` and `error` are the last frame of a turn. */
export const isLastFrame = (frame: WireFrame): boolean =>
  frame.event === "done" || frame.event === "error";
