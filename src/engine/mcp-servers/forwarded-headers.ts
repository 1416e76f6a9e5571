import type { McpServerRecord } from "./server.ts";

/** Headers that a chat request sends along for MCP servers. They live as long as its turn, in memory. */
export type ForwardedHeaders = Readonly<Record<string, string>>;

/** Of one connection, of the caller's own credentials, or the protocol's (decision 12). */
const NEVER_FORWARDED = new Set([
  ..."connection keep-alive te trailer transfer-encoding upgrade expect".split(" "),
  ..."host authorization cookie set-cookie content-length content-type content-encoding".split(" "),
  ..."accept accept-encoding origin last-event-id forwarded".split(" "),
]);

/** By a header's name, in any case. */
export function isForwardable(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    /^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(lower) &&
    !NEVER_FORWARDED.has(lower) &&
    !/^(proxy-|mcp-|sec-|x-byok-|x-model-)/.test(lower)
  );
}

/** What a text may hold that is sent as a header's value. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,8192}$/;

/** What of a request's headers a server may be given at all; the rest is dropped. Names in lower case. */
export const forwardable = (headers: ForwardedHeaders = {}): ForwardedHeaders =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => isForwardable(name) && VALUE.test(value))
      .map(([name, value]) => [name.toLowerCase(), value]),
  );

/** Only what the server asks for by name, and never what no server may have (decision 12). */
export const selectHeaders = (
  { forward_headers }: McpServerRecord,
  headers: ForwardedHeaders,
): ForwardedHeaders => {
  const wanted = new Set(forward_headers.map((name) => name.toLowerCase()));
  return Object.fromEntries(
    Object.entries(forwardable(headers)).filter(([name]) => wanted.has(name)),
  );
};
