import { z } from "zod";
import { LIMITS } from "./limits.ts";

const RESERVED_NAMES = new Set([
  "chat",
  "agents",
  "agent-relations",
  "memory",
  "files",
  "health",
  "auth",
  "tasks",
  "models",
  "knowledge-bases",
  "schemas",
  "mcp-servers",
  "tokens",
  "sessions",
  "metrics",
]);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

/** Any RFC 9562 layout: existing clients send ids of every version. */
export const Uuid = z
  .string()
  .regex(UUID, "must be a UUID")
  .overwrite((text) => text.toLowerCase())
  .meta({ format: "uuid" });

/** An empty text, as a form sends it, is none. */
export const UuidOrEmpty = z.union([z.literal("").transform(() => undefined), Uuid]);

/** A resource's URL handle: a DNS label that is no UUID and no path word (contract 0.4). */
export const Name = z
  .string()
  .min(1, "must not be empty")
  .max(
    LIMITS.resource_name_characters,
    `must have at most ${LIMITS.resource_name_characters} characters`,
  )
  .regex(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
    "must be lower-case letters, digits and inner hyphens, like `my-name`",
  )
  .refine((name) => !isUuid(name), "must not look like a UUID")
  .refine((name) => !RESERVED_NAMES.has(name), "is a reserved word");

/** RFC 3339 in UTC with seconds; stored finer, so that orders are stable. */
export const Timestamp = z
  .string()
  .overwrite((text) => `${text.slice(0, 19)}Z`)
  .meta({ format: "date-time" });

/** RFC 3339 in UTC with milliseconds, where clients order by it. */
export const PreciseTimestamp = z.string().meta({ format: "date-time" });

export const Description = z
  .string()
  .max(
    LIMITS.description_characters,
    `must have at most ${LIMITS.description_characters} characters`,
  );

/** Absolute http or https address with a host (contract 2.2). */
export const HttpUrl = z
  .string()
  .refine((text) => isHttpUrl(text), "must be an absolute http or https URL with a host")
  .meta({ format: "uri" });

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (protocol === "http:" || protocol === "https:") && hostname !== "";
}

/** An answer without a body: 204, or 200 where the contract says so. */
export const Nothing = z.undefined();
