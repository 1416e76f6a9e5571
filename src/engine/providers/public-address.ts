import ipaddr from "ipaddr.js";

/** Names that never leave a machine or a site. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|localdomain|arpa)$/i;

/**
 * Whether a URL's host is one that a stranger may make this server call: an address of the public
 * internet, or a name that could be one.
 */
export function isPublicUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return false;
  if (username !== "" || password !== "") return false;
  return isPublicHost(hostname);
}

function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (!ipaddr.isValid(host)) return host.includes(".") && !PRIVATE_NAME.test(host);
  return isPublicAddress(host);
}

/** What a network of one's own has, too: neither link-local addresses nor anything that is no host. */
const SITE_RANGES = new Set(["unicast", "private", "loopback", "uniqueLocal", "carrierGradeNat"]);

/** Services that tell a machine's credentials in clouds that do not keep them at a link-local address. */
const METADATA = new Set(["fd00:ec2::254", "100.100.100.200"]);

/**
 * An address that an administrator may name: a public one, or one of the site or the machine, and none
 * where a cloud tells a machine's credentials.
 */
export function isSiteAddress(address: string): boolean {
  const parsed = ipaddr.process(address);
  return SITE_RANGES.has(parsed.range()) && !METADATA.has(parsed.toString());
}

/** A URL without user and password whose host, if it is an address, is one that may be named. */
export function isSiteUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  if (!/^https?:$/.test(protocol) || username !== "" || password !== "") return false;
  const host = hostname.replace(/^\[|\]$/g, "");
  return !ipaddr.isValid(host) || isSiteAddress(host);
}

/** Unicast addresses only: neither private nor loopback, link-local, reserved or a tunnel to such. */
export const isPublicAddress = (address: string): boolean =>
  ipaddr.process(address).range() === "unicast";
