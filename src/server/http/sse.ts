import type { HttpBindings } from "@hono/node-server";
import { isLastFrame } from "#engine/events/channel.ts";
import type { WireFrame } from "#engine/events/wire.ts";
import type { HttpContext } from "./route.ts";

/** Proxies cut streams that are silent for longer. */
const HEARTBEAT_MS = 15_000;

/** A reader that is further behind what happens is cut; it can come back with the id it has seen. */
const BUFFER_BYTES_MAX = 4 * 1024 * 1024;

/** What was missed is sent in pieces of about so much, as fast as they are taken. */
const PIECE_BYTES = 64 * 1024;

const HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
} as const;

/** One space after each colon: existing clients depend on it (contract 4.1). */
const encodeFrame = ({ id, event, data }: WireFrame): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** What a client is sent: first what it has missed, then what happens. */
interface FrameSource {
  readonly replay: readonly WireFrame[];
  follow(listener: (frame: WireFrame) => void): () => void;
}

interface SseOptions {
  /** Whether the stream ends with the turn, or goes on with the session. */
  readonly until_last: boolean;
  readonly headers?: Record<string, string>;
}

/** Frames on their way to one reader, as text: first what it missed, then what gathers. */
interface Outbox {
  add(frame: WireFrame): void;
  /** The next piece to send; empty when there is nothing. */
  next(): string;
  isEmpty(): boolean;
  /** Bytes, about, that gathered and are not sent. */
  gathered(): number;
}

function createOutbox(replay: readonly WireFrame[]): Outbox {
  let replayed = 0;
  let head = ": ok\n\n";
  let tail = "";
  const isReplaying = () => replayed < replay.length;

  return {
    add(frame) {
      tail += encodeFrame(frame);
    },
    next() {
      let piece = head;
      head = "";
      for (; isReplaying() && piece.length < PIECE_BYTES; replayed += 1) {
        piece += encodeFrame(replay[replayed] as WireFrame);
      }
      if (isReplaying()) return piece;
      piece += tail;
      tail = "";
      return piece;
    },
    isEmpty: () => head === "" && tail === "" && !isReplaying(),
    gathered: () => tail.length,
  };
}

/** The request as it came over a connection; tests have none. */
const incomingOf = ({ env }: HttpContext) => (env as Partial<HttpBindings> | undefined)?.incoming;

/** How the stream ends: HTTP/1.0 knows no chunks, and who asks for it has the connection closed. */
function connectionHeaders(http: HttpContext): Record<string, string> {
  const incoming = incomingOf(http);
  if (incoming?.httpVersion === "1.0") return {};
  // Said here, the head leaves at once: the listener else waits a moment whether the body is a short one.
  const chunked = { "Transfer-Encoding": "chunked" };
  if (/\bclose\b/i.test(incoming?.headers.connection ?? "")) return chunked;
  return { ...chunked, Connection: "keep-alive" };
}

/** What is written until the event loop goes on leaves in one write: a head with its first words. */
function gatherWrites(http: HttpContext): void {
  const socket = incomingOf(http)?.socket;
  socket?.cork();
  process.nextTick(() => socket?.uncork());
}

/**
 * A turn as Server-Sent Events. The first frame of a burst leaves at once, and those that follow in the
 * same go of the event loop leave together: a socket write is paid per burst, not per token.
 */
export function sseResponse(
  http: HttpContext,
  { replay, follow }: FrameSource,
  { until_last, headers: more = {} }: SseOptions,
): Response {
  const headers = { ...HEADERS, ...connectionHeaders(http), ...more };
  if (http.req.method === "HEAD") {
    // Nobody will read a body, nor ever leave one.
    follow(() => undefined)();
    return new Response(null, { headers });
  }
  const encoder = new TextEncoder();
  const outbox = createOutbox(replay);
  let scheduled: NodeJS.Immediate | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let ended = false;
  let is_last = until_last && replay.some(isLastFrame);
  let unfollow: (() => void) | undefined;
  let sink: ReadableStreamDefaultController<Uint8Array>;
  const closed = http.get("open_streams").open();

  const isBehind = () => (sink.desiredSize ?? 0) <= 0;
  const release = () => {
    if (!ended) closed();
    ended = true;
    clearImmediate(scheduled);
    clearInterval(heartbeat);
    unfollow?.();
  };
  /** While the reader is behind, frames gather, and later leave in one piece. */
  const flush = () => {
    // Enqueueing may pull, and so flush, at once: the outbox is emptied before.
    while (!ended && !outbox.isEmpty() && !isBehind()) sink.enqueue(encoder.encode(outbox.next()));
    if (ended || !is_last || !outbox.isEmpty()) return;
    release();
    sink.close();
  };
  const endBurst = () => {
    scheduled = undefined;
    flush();
  };
  const take = (frame: WireFrame) => {
    if (ended) return;
    outbox.add(frame);
    is_last ||= until_last && isLastFrame(frame);
    if (is_last) flush();
    else if (outbox.gathered() > BUFFER_BYTES_MAX && isBehind()) {
      release();
      sink.error(new Error("the reader is too slow"));
    } else if (scheduled === undefined) {
      flush();
      scheduled = setImmediate(endBurst);
    }
  };

  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        sink = controller;
        heartbeat = setInterval(() => {
          if (outbox.isEmpty() && !isBehind()) sink.enqueue(encoder.encode(": heartbeat\n\n"));
        }, HEARTBEAT_MS);
        unfollow = follow(take);
        if (ended) unfollow();
        else flush();
      },
      // The socket caught up: what gathered meanwhile can leave, unless a burst is gathering still.
      pull() {
        if (scheduled === undefined) flush();
      },
      cancel: release,
    },
    { highWaterMark: 16 },
  );
  gatherWrites(http);
  return new Response(body, { headers });
}
