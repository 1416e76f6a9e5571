import { EngineError } from "#engine/kernel/error.ts";
import { LIMITS } from "#engine/kernel/limits.ts";
import { listClients, register, removeClient } from "#engine/oauth/clients.ts";
import { approveAuthorization, describeAuthorization } from "#engine/oauth/consent.ts";
import { exchangeToken } from "#engine/oauth/exchange.ts";
import { NOWHERE, type OAuthPlace } from "#engine/oauth/place.ts";
import type { Operation } from "#engine/operation.ts";
import { createLimiter } from "#engine/rate-limits/limiter.ts";
import { type OAuthAddress, requirePlace } from "../http/oauth-place.ts";
import { peerOf } from "../http/peer.ts";
import { del, get, type Handler, post, type Route } from "../http/route.ts";

const WORDS = { speaks_oauth: true, body_bytes: LIMITS.oauth.body_bytes } as const;
const NO_STORE = { "Cache-Control": "no-store", Pragma: "no-cache" };

/** What metadata names is at the root, too (contract 0.6). */
export const isAtRoot = ({ path }: Route): boolean =>
  path === "/oauth/register" || path === "/oauth/token";

/** The authorization server (specification 5, contract 4.15). */
export const oauthRoutes = (address: OAuthAddress): readonly Route[] => [
  post("/oauth/register", register, {
    ...WORDS,
    status: 201,
    handler: registerFor(address),
    also_refuses: [404, 429],
  }),
  post("/oauth/token", exchangeToken(NOWHERE), {
    ...WORDS,
    takes_form: true,
    handler: at(address, exchangeToken),
    also_refuses: [404],
  }),
  get("/oauth/authorize-info", describeAuthorization(NOWHERE), {
    ...WORDS,
    handler: describe(address),
    also_refuses: [404],
  }),
  post("/oauth/approve", approveAuthorization(NOWHERE), {
    ...WORDS,
    body_bytes: LIMITS.request_body_bytes,
    handler: at(address, approveAuthorization),
    also_refuses: [404],
  }),
  get("/oauth/clients", listClients),
  del("/oauth/clients/:id", removeClient),
];

type AnyOperation = Operation<never, unknown>;

/** The operation, at the place where this caller reached it. */
const at =
  (address: OAuthAddress, operationAt: (place: OAuthPlace) => AnyOperation): Handler =>
  async (http, { principal, input }, engine) => {
    const operation = operationAt(requirePlace(http, address));
    // A secret that is used up wrongly is recorded as well, so there is no status to tell yet.
    const { path } = http.req;
    const door = {
      resource: `POST ${path}`,
      details: { method: "POST", path, request_id: http.get("request_id") },
    };
    const output = await engine.call(principal, operation, input, door);
    return Response.json(output, { headers: NO_STORE });
  };

const describe =
  (address: OAuthAddress): Handler =>
  async (http, { principal, input }, engine) => {
    const operation = describeAuthorization(requirePlace(http, address));
    const output = await engine.call(principal, operation, input);
    const status = output.error === undefined ? 200 : 400;
    return Response.json(output, { status, headers: NO_STORE });
  };

function registerFor(address: OAuthAddress): Handler {
  const quota = { limit: LIMITS.oauth.registrations_per_minute, window_s: 60 };
  const limiter = createLimiter({
    name: "registrations",
    key_header: "",
    tiers: { default: quota },
  });
  return async (http, { principal, input }, engine) => {
    requirePlace(http, address);
    const peer = peerOf(http) ?? "unknown";
    const { is_allowed, retry_after_s } = limiter.look(peer, undefined, Date.now());
    if (!is_allowed) {
      throw new EngineError("rate_limited", "too many registrations from here; try again later", {
        retry_after_s,
      });
    }
    limiter.count(peer, undefined, Date.now());
    const client = await engine.call(principal, register, input);
    return Response.json(client, { status: 201, headers: NO_STORE });
  };
}
