import { createServer as createHttpServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { EngineError } from "#engine/kernel/error.ts";
import type { App } from "./http/mount.ts";
import { cutSlowBodies } from "./slow-bodies.ts";

export interface Listener {
  readonly url: string;
  /** Takes no new connections and lets open answers end; `closeNow` cuts what is still open. */
  close(): Promise<void>;
  closeNow(): void;
}

/** Reading a request's head may take so long; answers may stream for as long as they like. */
const HEAD_TIMEOUT_MS = 15_000;
const IDLE_TIMEOUT_MS = 120_000;

/** Port 0 takes a free one. Throws EngineError `unavailable` that names the port. */
export async function listen(
  app: App,
  { host, port }: { host: string; port: number },
): Promise<Listener> {
  const server = createHttpServer(
    { headersTimeout: HEAD_TIMEOUT_MS, requestTimeout: 0, keepAliveTimeout: IDLE_TIMEOUT_MS },
    getRequestListener(app.fetch),
  );
  cutSlowBodies(server);
  await bound(server, host, port);
  const address = server.address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: `http://${name}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
    closeNow: () => server.closeAllConnections(),
  };
}

const bound = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => reject(listenFailed(cause, host, port)));
    server.listen(port, host, resolve);
  });

function listenFailed(cause: NodeJS.ErrnoException, host: string, port: number): EngineError {
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${port} on ${host} is already in use; choose another with --port, or --port 0 for a free one`,
    EACCES: `port ${port} may not be used by this user; choose one above 1023 with --port`,
    EADDRNOTAVAIL: `${host} is not an address of this machine; choose another with --host`,
    ENOTFOUND: `the host name ${host} is unknown; choose another with --host`,
  };
  const message = reasons[cause.code ?? ""] ?? `cannot listen on ${host}:${port}: ${cause.message}`;
  return new EngineError("unavailable", message, { cause });
}
