import type { IncomingMessage, Server } from "node:http";

/** A request's body must be there within this time, and the next part of a large one. */
const WINDOW_MS = 15_000;
/** What a large one must bring in that time: less than any line does, more than it takes to hold one open. */
const BYTES_PER_WINDOW = 65_536;
const LARGE_BYTES = 1_048_576;

/** Cuts requests whose body stays away. A large one may take as long as it likes, as long as it gets on. */
export function cutSlowBodies(server: Server): void {
  server.on("request", (request) => {
    if (hasBody(request)) watch(request);
  });
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/** Uploads may have no length; imports of whole configurations and graphs have one. */
const isLarge = ({ headers }: IncomingMessage): boolean =>
  /^multipart\/form-data\b/i.test(headers["content-type"] ?? "") ||
  Number(headers["content-length"] ?? 0) >= LARGE_BYTES;

function watch(request: IncomingMessage): void {
  const { socket } = request;
  const enough = isLarge(request) ? BYTES_PER_WINDOW : Number.POSITIVE_INFINITY;
  // How much of the body came with its head can't be told, so a large one is granted the first window.
  let seen = socket.bytesRead - BYTES_PER_WINDOW;
  const stop = () => clearInterval(timer);
  const look = () => {
    if (request.complete) return stop();
    const came = socket.bytesRead - seen;
    seen += came;
    if (came >= enough) return;
    stop();
    socket.write("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n");
    socket.destroySoon();
  };
  const timer = setInterval(look, WINDOW_MS).unref();
  request.once("close", stop);
}
