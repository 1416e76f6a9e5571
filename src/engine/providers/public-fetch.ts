import { lookup as lookupBySystem } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import type { Agent } from "undici";
import { badRequest, EngineError } from "../kernel/error.ts";
import { isPublicAddress, isPublicUrl } from "./public-address.ts";

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Everything a name resolves to. Throws what the system's resolver throws. */
export type ResolveHost = (host: string) => Promise<readonly ResolvedAddress[]>;

/**
 * A fetch for addresses that a caller chose. What a name resolves to is checked when the connection is
 * made and the connection goes to what was checked, so neither a public name of a private address nor
 * one that changes its mind gets through. Redirects are answers and not followed.
 */
export function createPublicFetch(
  resolve: ResolveHost = (host) => lookupBySystem(host, { all: true }),
  isAllowed: (address: string) => boolean = isPublicAddress,
  isAllowedUrl: (url: string) => boolean = isPublicUrl,
): typeof fetch {
  let agent: Agent | undefined;
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (!isAllowedUrl(url)) throw notPublic();
    // Loaded when first needed: most servers never are asked for it. Bundled, it has its default alone.
    const { default: undici } = await import("undici");
    agent ??= new undici.Agent({ connect: { lookup: checkedLookup(resolve, isAllowed) } });
    const options = { ...(input instanceof Request ? partsOf(input) : {}), ...init };
    try {
      const response = await undici.fetch(url, {
        ...(options as object),
        redirect: "manual",
        dispatcher: agent,
      });
      return response as unknown as Response;
    } catch (error) {
      throw ownCause(error) ?? error;
    }
  };
}

/** Addresses in a URL are not looked up; those were checked as part of it. */
function checkedLookup(
  resolve: ResolveHost,
  isAllowed: (address: string) => boolean,
): LookupFunction {
  const find = async (host: string): Promise<readonly [ResolvedAddress, ...ResolvedAddress[]]> => {
    const [first, ...rest] = await resolve(host);
    // One public address among others is no reason to trust the name.
    if (!first || ![first, ...rest].every(({ address }) => isAllowed(address))) throw notPublic();
    return [first, ...rest];
  };
  return (host, { all }, done) => {
    find(host).then(
      (found) => {
        if (all) done(null, [...found]);
        else done(null, found[0].address, found[0].family);
      },
      (error: NodeJS.ErrnoException) => done(error, ""),
    );
  };
}

/** The other library's requests are not this one's. */
const partsOf = ({ method, headers, body, signal }: Request) => ({
  method,
  headers: [...headers],
  signal,
  ...(body ? { body, duplex: "half" } : {}),
});

const ownCause = (error: unknown): EngineError | undefined =>
  error instanceof Error && error.cause instanceof EngineError ? error.cause : undefined;

/** Says nothing of what the name resolves to: that is the network's own business. */
const notPublic = () => badRequest("the address must be a public one, and this one is not");
