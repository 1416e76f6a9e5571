import type { Context } from "../context.ts";
import { isLastFrame } from "../events/channel.ts";
import { frameId, type WireFrame } from "../events/wire.ts";
import { openSessionStream } from "../sessions/follow.ts";
import type { AcceptedTurn } from "./chat.ts";
import type { IdempotencyRecord } from "./idempotency.ts";

/** The frames of a turn that was accepted before, from its first on, and then as they happen. */
export async function joinTurn(
  ctx: Context,
  schema_id: string,
  { session_id, turn_id, after_seq }: IdempotencyRecord,
): Promise<AcceptedTurn> {
  const resume_id = frameId(after_seq);
  const place = { id: session_id, after: String(resume_id), turn: turn_id };
  const session = await openSessionStream(ctx, place);
  return {
    session_id,
    turn_id,
    schema_id,
    resume_id,
    replay: session.replay.slice(0, lengthOfTurn(session.replay)),
    follow(listener) {
      let is_over = session.replay.some(isLastFrame);
      const stop = session.follow((frame) => {
        if (is_over) return;
        is_over = isLastFrame(frame);
        listener(frame);
      });
      if (is_over) stop();
      return stop;
    },
  };
}

/** Up to the first end: a turn that paused has one for each of its parts. */
function lengthOfTurn(frames: readonly WireFrame[]): number {
  const last = frames.findIndex(isLastFrame);
  return last === -1 ? frames.length : last + 1;
}
