import { EngineError } from "#engine/kernel/error.ts";
import type { OAuthPlace } from "#engine/oauth/place.ts";
import { baseUrlOf, type OwnAddress } from "./own-address.ts";
import type { HttpContext } from "./route.ts";

/** The address of MCP's endpoint on this server. */
export const MCP_PATH = "/api/v1/mcp/rpc";
export const CONSENT_PATH = "/admin/oauth/consent";
export const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource";

/** What the authorization server was told of itself. */
export interface OAuthAddress extends OwnAddress {
  readonly is_authorization_server: boolean;
  readonly issuer?: string | undefined;
  readonly consent_url?: string | undefined;
}

/** Undefined where the authorization server is off, or can't know the address it is reached at. */
export function placeOf(http: HttpContext, address: OAuthAddress): OAuthPlace | undefined {
  const base = baseUrlOf(http, address);
  if (!address.is_authorization_server || base === undefined) return undefined;
  const issuer = address.issuer ?? base;
  return {
    issuer,
    resource: base + MCP_PATH,
    consent_url: address.consent_url ?? issuer + CONSENT_PATH,
  };
}

/** Throws `not_found` where there is no authorization server. */
export function requirePlace(http: HttpContext, address: OAuthAddress): OAuthPlace {
  const place = placeOf(http, address);
  if (place) return place;
  throw new EngineError(
    "not_found",
    "there is no authorization server here: it is switched off, or needs SERVICE_PUBLIC_BASE_URL",
  );
}

/** Where a client that was refused finds out how to get in (RFC 9728). */
export const metadataUrlOf = ({ resource }: OAuthPlace): string => {
  const { origin, pathname } = new URL(resource);
  return origin + RESOURCE_METADATA_PATH + pathname;
};
