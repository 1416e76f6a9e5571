import {
  createLocalSession,
  type LocalSessionPolicy,
  refreshLocalSession,
  refuseStrangers,
} from "#engine/auth/local-session.ts";
import { createToken, listTokens, revokeToken } from "#engine/auth/operations.ts";
import { peerOf } from "../http/peer.ts";
import { del, get, type Handler, post, type Route } from "../http/route.ts";

/** Proves that the caller can read the server's data directory (decision 14). */
export const BOOTSTRAP_HEADER = "X-Bootstrap-Secret";

/** What proxies tell of whom they speak for. */
const FORWARDED = ["Forwarded", "X-Forwarded-For", "X-Real-IP"];

export const authRoutes = (policy: LocalSessionPolicy): readonly Route[] => [
  post("/auth/local-session", createLocalSession, {
    handler: openLocalSession(policy),
    also_refuses: [403, 404],
  }),
  post("/auth/local-session/refresh", refreshLocalSession, { also_refuses: [404] }),
  get("/auth/tokens", listTokens),
  post("/auth/tokens", createToken, { status: 201 }),
  del("/auth/tokens/:id", revokeToken),
];

const openLocalSession =
  (policy: LocalSessionPolicy): Handler =>
  async (http, { principal }, engine) => {
    const { req } = http;
    refuseStrangers(
      {
        peer: peerOf(http),
        host: req.header("Host") ?? new URL(req.url).host,
        origin: req.header("Origin"),
        sec_fetch_site: req.header("Sec-Fetch-Site"),
        bootstrap_secret: req.header(BOOTSTRAP_HEADER),
        is_forwarded: FORWARDED.some((name) => req.header(name) !== undefined),
      },
      policy,
    );
    const session = await engine.call(principal, createLocalSession, {});
    return Response.json(session, { headers: { "Cache-Control": "no-store" } });
  };
