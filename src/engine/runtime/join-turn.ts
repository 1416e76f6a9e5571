import type { Context } from "../context.ts";
import { isLastFrame } from "../events/channel.ts";
import { frameId } from "../events/wire.ts";
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
  const session = await openSessionStream(ctx, { id: session_id, after: String(resume_id) });
  return {
    session_id,
    schema_id,
    resume_id,
    follow(listener) {
      let is_over = false;
      return session.follow((frame) => {
        if (is_over || frame.turn_id !== turn_id) return;
        is_over = isLastFrame(frame);
        listener(frame);
      });
    },
  };
}
