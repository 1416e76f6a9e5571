import { APICallError } from "@ai-sdk/provider";
import { EngineError } from "../kernel/error.ts";
import type { ModelConnection } from "./provider.ts";

const EXCERPT_LENGTH = 300;

/** Nobody is told to come back later than that. */
const DAY_S = 86_400;

/** Shorter pieces of a key appear in innocent words. */
const SECRET_PREFIX_LENGTH = 8;

/** Whatever a provider threw, as an error that says what to do and never holds the key. */
export function describeModelError(thrown: unknown, connection: ModelConnection): EngineError {
  const own = ownError(thrown);
  if (own) return own;
  const { code, text } = explain(thrown, connection);
  const retry_after_s = retryAfterSeconds(thrown);
  return new EngineError(code, redact(text, connection.api_key), {
    cause: thrown,
    ...(retry_after_s === undefined || retry_after_s >= DAY_S ? {} : { retry_after_s }),
  });
}

/** Packages wrap what goes wrong while they read an answer, also what the engine itself refused. */
function ownError(thrown: unknown): EngineError | undefined {
  if (thrown instanceof EngineError) return thrown;
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause instanceof EngineError ? cause : undefined;
}

interface Explanation {
  readonly code: "model_error" | "timeout";
  readonly text: string;
}

function explain(thrown: unknown, connection: ModelConnection): Explanation {
  const place = placeOf(connection);
  const system = systemCode(thrown);
  if (system)
    return {
      code: system === "ETIMEDOUT" ? "timeout" : "model_error",
      text: unreachable(system, place),
    };
  if (APICallError.isInstance(thrown)) {
    const { statusCode, message } = thrown;
    if (statusCode === undefined)
      return { code: "model_error", text: unreachable(excerpt(message), place) };
    return { code: "model_error", text: refused(thrown, statusCode, connection) };
  }
  const reason = excerpt(textOf(thrown));
  return {
    code: "model_error",
    text: `the model server at ${place} gave an answer that can't be used: ${reason}`,
  };
}

const placeOf = ({ base_url, type }: ModelConnection): string => {
  if (!base_url || !URL.canParse(base_url)) return type;
  const { origin, pathname } = new URL(base_url);
  return origin + (pathname === "/" ? "" : pathname);
};

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused; is it running?",
  ENOTFOUND: "its name is unknown",
  EAI_AGAIN: "its name can't be resolved now",
  ETIMEDOUT: "it did not answer in time",
  ECONNRESET: "the connection was cut",
  UND_ERR_SOCKET: "the connection was cut",
  UND_ERR_CONNECT_TIMEOUT: "it did not answer in time",
  UND_ERR_HEADERS_TIMEOUT: "it did not answer in time",
  UND_ERR_BODY_TIMEOUT: "it fell silent",
};

const unreachable = (code: string, place: string): string =>
  `cannot reach the model server at ${place}: ${REASONS[code] ?? code}`;

/** The system's code of a connection that failed, which fetch hides some causes deep. */
export function systemCode(thrown: unknown, depth = 0): string | undefined {
  if (depth > 5 || typeof thrown !== "object" || thrown === null) return undefined;
  const { code, cause, errors } = thrown as { code?: unknown; cause?: unknown; errors?: unknown[] };
  if (typeof code === "string" && /^(E[A-Z]+|EAI_AGAIN|UND_ERR_\w+)$/.test(code)) return code;
  return systemCode(cause, depth + 1) ?? systemCode(errors?.[0], depth + 1);
}

function refused(
  error: APICallError,
  status: number,
  { model_name, base_url, type }: ModelConnection,
): string {
  const { data, responseBody = "", message } = error;
  const said = excerpt(textOf(data) || textOf(parse(responseBody)) || responseBody || message);
  const place = placeOf({ model_name, base_url, type });
  if (status === 401 || status === 403)
    return `the model server at ${place} refused the key (${status}): ${said}`;
  if (status === 404)
    return `the model server at ${place} has no model "${model_name}" (404): ${said}`;
  if (status === 429)
    return `the model server at ${place} is over its limit (429), try again later: ${said}`;
  if (status < 300)
    return `the model server at ${place} gave an answer that can't be used: ${said}`;
  return `the model server at ${place} answered ${status}: ${said}`;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  const { message, error } = value as { message?: unknown; error?: unknown };
  return textOf(error) || (typeof message === "string" ? message : "");
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** A piece of foreign text in one line: no mark-up, no control characters, not long. */
function excerpt(text: string): string {
  const line = text
    .slice(0, EXCERPT_LENGTH * 20)
    .replace(/<(script|style)[\s\S]*?<\/\1>/gi, " ")
    .replace(/<[^>]*>/g, " ")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\u0000-\u001f\u007f-\u009f\s]+/g, " ")
    .trim();
  if (line === "") return "no reason given";
  return line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH - 1)}…` : line;
}

/** Servers like to repeat the key, whole or in part, when they refuse it. */
function redact(text: string, api_key: string | undefined): string {
  const bearers = text.replace(/\b(Bearer|Basic)\s+\S+/gi, "$1 [key]");
  if (!api_key) return bearers;
  const whole = bearers.replaceAll(api_key, "[key]");
  if (api_key.length < SECRET_PREFIX_LENGTH) return whole;
  return whole
    .replaceAll(
      new RegExp(`${escapePattern(api_key.slice(0, SECRET_PREFIX_LENGTH))}\\S*`, "g"),
      "[key]",
    )
    .replaceAll(
      new RegExp(`\\S*${escapePattern(api_key.slice(-SECRET_PREFIX_LENGTH))}`, "g"),
      "[key]",
    );
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** How long the server asks to be left alone; undefined when it says nothing or nonsense. */
export function retryAfterSeconds(thrown: unknown): number | undefined {
  if (!APICallError.isInstance(thrown)) return undefined;
  const value = thrown.responseHeaders?.["retry-after"] ?? "";
  if (/^\d+$/.test(value)) return Number(value);
  // Anything else is read as a date only if it says it is one: `Date` takes "-1" for a year.
  if (!value.endsWith("GMT")) return undefined;
  const seconds = (Date.parse(value) - Date.now()) / 1000;
  return seconds >= 0 ? Math.ceil(seconds) : undefined;
}
