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

/** What only a network of one's own has: no metadata service of a cloud, and nothing that is no host. */
const SITE_RANGES = new Set(["unicast", "private", "loopback", "uniqueLocal", "carrierGradeNat"]);

/** An address that an administrator may name: a public one, or one of the site or the machine. */
export const isSiteAddress = (address: string): boolean =>
  SITE_RANGES.has(ipaddr.process(address).range());

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
