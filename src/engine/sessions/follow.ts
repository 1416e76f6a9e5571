import { z } from "zod";
import type { Context } from "../context.ts";
import type { FrameListener } from "../events/channel.ts";
import { toFrame } from "../events/project.ts";
import { seqOfFrame, type WireFrame } from "../events/wire.ts";
import { badRequest, notFound } from "../kernel/error.ts";
import { Uuid } from "../kernel/fields.ts";
import { requireGuard } from "../kernel/principal.ts";
import { defineOperation, parseInput } from "../operation.ts";
import { SessionKey } from "./session.ts";
import { requireVisible } from "./visitor.ts";

const FollowInput = SessionKey.extend({
  /** The id of the last frame the client has seen; what it has not seen is replayed. */
  after: z.string().optional(),
  /** Only this turn's frames, as the header `X-Turn-Id` of a chat answer names it. */
  turn: Uuid.optional(),
});

export interface FollowedSession {
  /** What the client has missed, in order; a transport sends it as fast as its reader takes it. */
  readonly replay: readonly WireFrame[];
  /** Where it ends: the id of the last frame there is now, whether or not it was missed. */
  readonly resume_id: number;
  /** Each frame behind the replay as it happens. Returns how to stop. */
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
  const { id, after, turn } = parseInput(FollowInput, given) as z.output<typeof FollowInput>;
  const seen = toPlace(after);
  const session = await ctx.read.sessions.get(id);
  if (!session) throw notFound("session", id);
  requireVisible(ctx.principal, session);

  // First listen, then read: what happens in between is in both and told once, by its id.
  const missed: WireFrame[] = [];
  let tell: FrameListener = (frame) => void missed.push(frame);
  const { streams } = ctx.services;
  const isWanted = (frame: WireFrame) => turn === undefined || frame.turn_id === turn;
  const stop = streams.follow(id, (frame) => isWanted(frame) && tell(frame));
  const logged = await readLog(ctx, id, seen).catch((error: unknown) => {
    stop();
    throw error;
  });

  const replay = [...logged, ...streams.deltas(id, seen)].filter(isWanted);
  const resume_id = replay.at(-1)?.id ?? seen;
  let last = resume_id;

  return {
    replay,
    resume_id,
    follow(listener) {
      tell = (frame) => {
        if (frame.id <= last) return;
        last = frame.id;
        listener(frame);
      };
      for (const frame of missed) tell(frame);
      return stop;
    },
  };
}

const readLog = async ({ read }: Context, id: string, seen: number): Promise<WireFrame[]> =>
  (await read.events.list(id, seqOfFrame(seen))).flatMap((event) => toFrame(event) ?? []);

function toPlace(after: string | undefined): number {
  if (after === undefined || after === "") return 0;
  const place = Number(after);
  if (/^\d+$/.test(after) && Number.isSafeInteger(place)) return place;
  throw badRequest("after: must be the id of a frame, a whole number");
}
