/** Of editors that come without the dot, and can't get in otherwise. */
const EDITOR_SCHEMES = new Set(["cursor:", "vscode:", "vscode-insiders:", "windsurf:", "claude:"]);

/** Run in the browser instead of leading anywhere; a scheme with a dot belongs to an installed program. */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*\.[a-z0-9.+-]+:$/i;
const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Where an authorization may be sent: https, http on this machine, or a program's own scheme, which has a
 * dot (RFC 8252) or belongs to a well-known editor. So `javascript:` and its like are none (contract 4.15).
 */
export function isAllowedRedirect(uri: string): boolean {
  // A fragment would take the code along into what the page shows; controls confuse whoever compares.
  if (!URL.canParse(uri) || uri.includes("#") || /[\s\\\p{Cc}]/u.test(uri)) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== "" || password !== "") return false;
  if (protocol === "https:") return hostname !== "";
  if (protocol === "http:") return LOOPBACK_HOSTS.has(hostname);
  return EDITOR_SCHEMES.has(protocol) || PRIVATE_SCHEME.test(protocol);
}

/** Exactly one of the registered ones; on this machine with any port (RFC 8252, 7.3). */
export const matchesRedirect = (registered: readonly string[], given: string): boolean =>
  isAllowedRedirect(given) && registered.some((uri) => uri === given || isSameButPort(uri, given));

function isSameButPort(registered: string, given: string): boolean {
  const [known, asked] = [new URL(registered), new URL(given)];
  if (known.protocol !== "http:" || asked.protocol !== "http:") return false;
  if (!LOOPBACK_HOSTS.has(known.hostname)) return false;
  return withoutPort(registered) === withoutPort(given);
}

/** Of the text as it stands: what a parser makes alike may still not be alike. */
const withoutPort = (uri: string): string =>
  uri.replace(/^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\d{1,5}(?=[/?]|$)/, "$1");

/** What a person can judge of an address: the site, or the program's scheme. */
export function placeOf(redirect_uri: string): string {
  const { protocol, host } = new URL(redirect_uri);
  return protocol === "https:" || protocol === "http:" ? host : protocol.replace(/:$/, "");
}
