import { z } from "zod";
import { defineTool, errorResult } from "./tool.ts";

/** Models do not know the time; this tells them, in any time zone. */
export const currentTime = defineTool({
  name: "current_time",
  description: "The current date and time, in UTC or in a named IANA time zone.",
  security_zone: "safe",
  retry: "safe",
  input: z.object({
    time_zone: z.string().optional().describe("IANA name such as Europe/Helsinki; UTC when absent"),
  }),
  execute: async ({ time_zone = "UTC" }, { now }) => {
    const date = now();
    const local = inTimeZone(date, time_zone);
    if (!local) return errorResult(`unknown time zone: ${time_zone}`);
    return { content: `${local} (${time_zone}); UTC: ${date.toISOString()}` };
  },
});

/** Building a format costs far more than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();
const FORMATS_MAX = 100;

function inTimeZone(date: Date, timeZone: string): string | undefined {
  try {
    const format = formats.get(timeZone) ?? formatFor(timeZone);
    return format.format(date);
  } catch {
    return undefined;
  }
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const format = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "full",
    timeStyle: "long",
    timeZone,
  });
  if (formats.size >= FORMATS_MAX) formats.clear();
  formats.set(timeZone, format);
  return format;
}
