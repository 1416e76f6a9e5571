import type { IncomingMessage, Server } from "node:http";

/** A request's body must be there within this time, and the next part of an upload. */
const WINDOW_MS = 15_000;
/** What an upload must bring in that time: less than any line does, more than it takes to hold one open. */
const UPLOAD_BYTES_PER_WINDOW = 65_536;

/** Cuts requests whose body stays away. An upload may take as long as it likes, as long as it gets on. */
export function cutSlowBodies(server: Server): void {
  server.on("request", (request) => {
    if (hasBody(request)) watch(request);
  });
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

function watch(request: IncomingMessage): void {
  const { socket, headers } = request;
  const is_upload = /^multipart\/form-data\b/i.test(headers["content-type"] ?? "");
  const enough = is_upload ? UPLOAD_BYTES_PER_WINDOW : Number.POSITIVE_INFINITY;
  // How much of the body came with its head can't be told, so an upload is granted the first window.
  let seen = socket.bytesRead - UPLOAD_BYTES_PER_WINDOW;
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
