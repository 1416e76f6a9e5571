import { type DestinationStream, pino } from "pino";
import type { Logger } from "#engine/services.ts";

/** What may hold a secret or somebody's words, should it ever be logged. */
const REDACTED = [
  "authorization",
  "api_key",
  "token",
  "secret",
  "*.authorization",
  "*.api_key",
  "*.token",
  "*.secret",
];

export interface LogOptions {
  readonly level: string;
  readonly format: "auto" | "json" | "text";
  readonly stream: NodeJS.WriteStream;
}

/** Structured logs on standard error; people at a terminal get them as text. */
export function createLog({ level, format, stream }: LogOptions): Logger {
  const text = format === "text" || (format === "auto" && stream.isTTY);
  const destination: DestinationStream = text
    ? { write: (line) => stream.write(toText(line)) }
    : stream;
  return pino(
    { level, base: null, redact: REDACTED, serializers: { err: describeError } },
    destination,
  );
}

/** Only what is ours to tell: an error's own fields may hold requests with keys and prompts. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}

const LEVELS: Readonly<Record<number, string>> = {
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
};

function toText(line: string): string {
  const { level, time, msg, err, request_id, ...fields } = JSON.parse(line) as Record<
    string,
    unknown
  >;
  const clock = new Date(Number(time)).toISOString().slice(11, 19);
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${String(value)}`);
  const failure = (err as { stack?: string; message?: string } | undefined)?.stack;
  const head = [clock, LEVELS[Number(level)] ?? level, msg, ...rest].join(" ");
  return failure ? `${head}\n${failure}\n` : `${head}\n`;
}
