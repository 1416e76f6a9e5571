import { z } from "zod";
import type { Context } from "../context.ts";
import type { FrameListener } from "../events/channel.ts";
import { toFrame } from "../events/project.ts";
import { seqOfFrame, type WireFrame } from "../events/wire.ts";
import { badRequest, notFound } from "../kernel/error.ts";
import { requireGuard } from "../kernel/principal.ts";
import { defineOperation, parseInput } from "../operation.ts";
import { SessionKey } from "./session.ts";
import { requireVisible } from "./visitor.ts";

const FollowInput = SessionKey.extend({
  /** The id of the last frame the client has seen; what it has not seen is replayed. */
  after: z.string().optional(),
});

export interface FollowedSession {
  /** Frames after the client's place, then each as it happens. Returns how to stop. */
  follow(listener: FrameListener): () => void;
}

/** The description of the route; a transport streams by `Engine.follow`. */
export const followSession = defineOperation({
  name: "sessions.follow",
  summary: "Replay a session's stream from a place on, and go on with it (decision 6)",
  scope: ["chat", "sessions:read"],
  effect: "read",
  input: FollowInput,
  output: z.string(),
  run: () => {
    throw badRequest("a session can only be followed as a stream");
  },
});

/** Every refusal is thrown here, before the first frame. */
export async function openSessionStream(ctx: Context, given: unknown): Promise<FollowedSession> {
  requireGuard(ctx.principal, followSession.scope);
  const { id, after } = parseInput(FollowInput, given) as z.output<typeof FollowInput>;
  const seen = toPlace(after);
  const session = await ctx.read.sessions.get(id);
  if (!session) throw notFound("session", id);
  requireVisible(ctx.principal, session);

  // First listen, then read: what happens in between is in both and told once, by its id.
  const missed: WireFrame[] = [];
  let tell: FrameListener = (frame) => void missed.push(frame);
  const { streams } = ctx.services;
  const stop = streams.follow(id, (frame) => tell(frame));
  const logged = (await ctx.read.events.list(id, seqOfFrame(seen))).flatMap(
    (event) => toFrame(event) ?? [],
  );

  return {
    follow(listener) {
      let last = seen;
      tell = (frame) => {
        if (frame.id <= last) return;
        last = frame.id;
        listener(frame);
      };
      const replay = [...logged, ...streams.deltas(id), ...missed];
      for (const frame of replay.sort((left, right) => left.id - right.id)) tell(frame);
      return stop;
    },
  };
}

function toPlace(after: string | undefined): number {
  if (after === undefined || after === "") return 0;
  const place = Number(after);
  if (/^\d+$/.test(after) && Number.isSafeInteger(place)) return place;
  throw badRequest("after: must be the id of a frame, a whole number");
}
