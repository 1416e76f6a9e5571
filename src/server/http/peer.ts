import { getConnInfo } from "@hono/node-server/conninfo";
import type { HttpContext } from "./route.ts";

/** The address that a request comes from; requests made in this process have no socket. */
export const peerOf = (http: HttpContext): string | undefined =>
  (http.env as { incoming?: unknown } | undefined)?.incoming
    ? getConnInfo(http).remote.address
    : undefined;
