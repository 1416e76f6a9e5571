import { z } from "zod";
import { badRequest } from "../kernel/error.ts";

const DateOnly = z.iso.date();
const DateTime = z.iso.datetime({ offset: true });

/**
 * A query's `from` or `to`: RFC 3339, or a date that stands for its whole day in UTC. Returns an
 * inclusive bound; throws `bad_request` naming the field.
 */
export function boundary(field: "from" | "to", text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (DateOnly.safeParse(text).success) {
    return field === "from" ? `${text}T00:00:00.000Z` : `${text}T23:59:59.999Z`;
  }
  if (!DateTime.safeParse(text).success) {
    throw badRequest(`${field}: must be an RFC 3339 time or a date like 2026-01-31`);
  }
  const moment = new Date(text);
  // Stored times are finer than a second, and a bound that names the second means all of it.
  const wholeSecond = field === "to" && !text.includes(".");
  return new Date(moment.getTime() + (wholeSecond ? 999 : 0)).toISOString();
}
