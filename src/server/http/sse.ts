import { isLastFrame } from "#engine/events/channel.ts";
import type { WireFrame } from "#engine/events/wire.ts";

/** Proxies cut streams that are silent for longer. */
const HEARTBEAT_MS = 15_000;

/** A reader that is further behind is cut; it can read what it missed from the session's messages. */
const BUFFER_BYTES_MAX = 4 * 1024 * 1024;

const HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  Connection: "keep-alive",
  "X-Accel-Buffering": "no",
} as const;

/** One space after each colon: existing clients depend on it (contract 4.1). */
export const encodeFrame = ({ id, event, data }: WireFrame): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

interface SseOptions {
  /** Whether the stream ends with the turn, or goes on with the session. */
  readonly until_last: boolean;
  readonly headers?: Record<string, string>;
}

/**
 * A turn as Server-Sent Events. The first frame of a burst leaves at once, and those that follow in the
 * same go of the event loop leave together: a socket write is paid per burst, not per token.
 */
export function sseResponse(
  follow: (listener: (frame: WireFrame) => void) => () => void,
  { until_last, headers = {} }: SseOptions,
): Response {
  const encoder = new TextEncoder();
  let pending = ": ok\n\n";
  let scheduled: NodeJS.Immediate | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let ended = false;
  let unfollow: (() => void) | undefined;
  let sink: ReadableStreamDefaultController<Uint8Array>;

  const release = () => {
    ended = true;
    clearImmediate(scheduled);
    clearInterval(heartbeat);
    unfollow?.();
  };
  const endBurst = () => {
    scheduled = undefined;
    flush(false);
  };
  const flush = (last: boolean) => {
    // While the socket is behind, frames gather here and later leave in one piece.
    if (pending === "" || !(last || (sink.desiredSize ?? 0) > 0)) return;
    const burst = encoder.encode(pending);
    // Enqueueing may pull, and so flush, at once.
    pending = "";
    sink.enqueue(burst);
  };
  const take = (frame: WireFrame) => {
    if (ended) return;
    pending += encodeFrame(frame);
    if (until_last && isLastFrame(frame)) {
      flush(true);
      release();
      sink.close();
    } else if (pending.length > BUFFER_BYTES_MAX) {
      release();
      sink.error(new Error("the reader is too slow"));
    } else if (scheduled === undefined) {
      flush(false);
      scheduled = setImmediate(endBurst);
    }
  };

  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        sink = controller;
        flush(false);
        heartbeat = setInterval(() => {
          if (pending === "" && (sink.desiredSize ?? 0) > 0) {
            sink.enqueue(encoder.encode(": heartbeat\n\n"));
          }
        }, HEARTBEAT_MS);
        unfollow = follow(take);
        if (ended) unfollow();
      },
      // The socket caught up: what gathered meanwhile can leave, unless a burst is gathering still.
      pull() {
        if (scheduled === undefined) flush(false);
      },
      cancel: release,
    },
    { highWaterMark: 16 },
  );
  return new Response(body, { headers: { ...HEADERS, ...headers } });
}
