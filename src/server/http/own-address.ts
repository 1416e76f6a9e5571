import { isLoopbackHost } from "#engine/auth/local-session.ts";
import { forbidden } from "#engine/kernel/error.ts";
import type { HttpContext } from "./route.ts";

/** What the server was told of the address that others know it by. */
export interface OwnAddress {
  /** An origin, such as `https://agents.example.com`. */
  readonly public_url?: string | undefined;
  /** Other origins whose pages may call everything. */
  readonly cors_origins: readonly string[];
}

const IP_ADDRESS = /^(\d+\.\d+\.\d+\.\d+|\[[0-9a-f:.]+\])(:\d+)?$/i;

/**
 * Where callers reach this server: the configured address, or the loopback address they asked at. No other
 * Host is believed, as whoever sends a request chooses it. Undefined when nothing is known.
 */
export function baseUrlOf(http: HttpContext, { public_url }: OwnAddress): string | undefined {
  if (public_url !== undefined) return public_url;
  const host = hostOf(http);
  return isLoopbackHost(host) ? `http://${host.toLowerCase()}` : undefined;
}

/**
 * Keeps web pages out that reach this server through a name of their own that resolves to it, or from
 * another origin. Throws `forbidden`.
 */
export function refuseForeign(http: HttpContext, address: OwnAddress): void {
  const host = hostOf(http);
  const known = address.public_url === undefined ? undefined : new URL(address.public_url).host;
  if (!isLoopbackHost(host) && !IP_ADDRESS.test(host) && host !== known) {
    throw forbidden(
      `this server does not know the Host "${host}" as its own; set SERVICE_PUBLIC_BASE_URL`,
    );
  }
  const origin = http.req.header("Origin");
  if (origin === undefined || isOwnOrigin(origin, host, address)) return;
  throw forbidden(`pages of ${origin} may not call this; see SERVICE_CORS_ORIGINS`);
}

const hostOf = (http: HttpContext): string => http.req.header("Host") ?? new URL(http.req.url).host;

const isOwnOrigin = (origin: string, host: string, address: OwnAddress): boolean =>
  origin === `http://${host}` ||
  origin === address.public_url ||
  address.cors_origins.includes(origin);
