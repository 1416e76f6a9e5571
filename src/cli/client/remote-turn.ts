import { setTimeout as delay } from "node:timers/promises";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { isLastFrame } from "#engine/events/channel.ts";
import { frameId, seqOfFrame, type WireFrame } from "#engine/events/wire.ts";
import { EngineError } from "#engine/kernel/error.ts";
import type { ConnectionChange } from "./client.ts";

/** A server that is restarted is given so long to come back. */
const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

type Follow = (after: number) => Promise<Response>;

/** Where a stream begins, and how many turns of it are read. */
interface Stretch {
  /** The id of the frame behind which it begins. */
  readonly after: number;
  readonly turns?: number;
}

/**
 * A turn's frames up to its last one, or those of several turns, over as many connections as it takes.
 * Throws `unavailable` when the server does not come back.
 */
export async function* readTurn(
  response: Response,
  follow: Follow,
  watch: (change: ConnectionChange) => void,
  { after, turns = 1 }: Stretch,
): AsyncGenerator<WireFrame> {
  let left = turns;
  let seen: Seen = { id: after, in_delta: false };
  for await (const frame of framesOver(response, () => follow(seen.id), watch)) {
    if (isRepeat(frame, seen)) watch("restarted");
    seen = { id: frame.id, in_delta: isDelta(frame) };
    yield frame;
    if (isLastFrame(frame)) left -= 1;
    if (left === 0) return;
  }
}

/** Never ends by itself: behind every connection comes the next one. */
async function* framesOver(
  first: Response,
  next: () => Promise<Response>,
  watch: (change: ConnectionChange) => void,
): AsyncGenerator<WireFrame> {
  for (let connection = first; ; ) {
    let is_barren = true;
    for await (const frame of readFrames(connection)) {
      is_barren = false;
      yield frame;
    }
    watch("lost");
    // A server that answers and says nothing must not be asked without a pause.
    if (is_barren) await delay(FIRST_PAUSE_MS);
    connection = await reconnect(next);
    watch("back");
  }
}

interface Seen {
  readonly id: number;
  /** Whether a step was being told. */
  readonly in_delta: boolean;
}

const isDelta = ({ event }: WireFrame): boolean =>
  event === "message_delta" || event === "thinking";

/** A step that was cut off and is done again tells its deltas behind another event. */
const isRepeat = (frame: WireFrame, seen: Seen): boolean =>
  seen.in_delta && isDelta(frame) && seqOfFrame(frame.id) !== seqOfFrame(seen.id);

/** Tries again and again, more slowly each time, until the patience is used up. */
export async function reconnect(open: () => Promise<Response>): Promise<Response> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let pause_ms = FIRST_PAUSE_MS; ; pause_ms = Math.min(pause_ms * 2, LONGEST_PAUSE_MS)) {
    try {
      return await open();
    } catch (error) {
      if (!mayComeBack(error) || performance.now() > deadline) throw lost(error);
    }
    await delay(pause_ms);
  }
}

export const mayComeBack = (error: unknown): boolean =>
  error instanceof EngineError && error.code === "unavailable";

const lost = (cause: unknown) =>
  new EngineError(
    "unavailable",
    "the connection was lost before the answer was complete; the turn goes on in the server",
    { cause },
  );

/** The frames of one connection, for as long as it lasts. */
export async function* readFrames({ body }: Response): AsyncGenerator<WireFrame> {
  if (!body) return;
  const events = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  try {
    for await (const { id, event, data } of events) {
      const frame = { id: Number(id), event, data: JSON.parse(data), turn_id: "" } as WireFrame;
      if (isStopping(frame)) return;
      yield frame;
    }
  } catch {
    // It was cut: what is missing comes over the next one.
  }
}

/** The stream of a server that is stopping ends, its turn does not: no event of the session says so. */
const isStopping = ({ id, event }: WireFrame): boolean =>
  event === "error" && id !== frameId(seqOfFrame(id));
