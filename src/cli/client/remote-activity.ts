import { setTimeout as delay } from "node:timers/promises";
import { mayComeBack, readFrames } from "./remote-turn.ts";

const FIRST_PAUSE_MS = 100;
/** Nobody looks at a clock while nothing happens. */
const LONGEST_PAUSE_MS = 30_000;

type Open = (after: number, signal: AbortSignal) => Promise<Response>;

/**
 * Waits for a frame behind the one that was seen, or behind all there are now, however long it takes and whether
 * or not the server is there meanwhile. Gives the id behind which it comes; undefined when it is not waited for any
 * more, or this session can't be followed.
 */
export async function nextActivity(
  open: Open,
  after: number | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  let seen = after;
  for (let pause_ms = FIRST_PAUSE_MS; ; pause_ms = Math.min(pause_ms * 2, LONGEST_PAUSE_MS)) {
    const heard = await listen(open, seen, signal);
    if (heard === "refused" || signal.aborted) return undefined;
    if (heard?.is_active) return heard.place;
    seen = heard?.place ?? seen;
    await delay(pause_ms, undefined, { signal }).catch(() => undefined);
  }
}

interface Heard {
  readonly place: number;
  readonly is_active: boolean;
}

/** One connection, for as long as it lasts. Undefined when the server is not reached: it may be there later. */
async function listen(
  open: Open,
  after: number | undefined,
  signal: AbortSignal,
): Promise<Heard | "refused" | undefined> {
  try {
    const response = await open(after ?? 0, signal);
    const place = after ?? resumeIdOf(response);
    for await (const { id } of readFrames(response))
      if (id > place) return { place, is_active: true };
    return { place, is_active: false };
  } catch (error) {
    return mayComeBack(error) ? undefined : "refused";
  }
}

/** Behind which frame an answer's stream begins, or the present one ends, as its header says. */
export const resumeIdOf = ({ headers }: Response): number =>
  Number(headers.get("X-Resume-Id") ?? 0);
