/** Every way an operation can fail. Transports map each code exactly once (specification section 7). */
export type ErrorCode =
  | "bad_request"
  | "unauthorized"
  | "usage_limited"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "payload_too_large"
  | "rate_limited"
  | "cancelled"
  | "model_error"
  | "timeout"
  | "unavailable"
  | "internal";

export interface ErrorDetails {
  readonly cause?: unknown;
  /** Seconds after which the caller may try again. */
  readonly retry_after_s?: number;
  /** One line per offending field, for callers that show a form. */
  readonly details?: readonly string[];
  /** What OAuth calls it, on the routes that speak OAuth (RFC 6749, 5.2). */
  readonly oauth_error?: string;
}

/** The only error class: a code for programs and a message for people. Anything else thrown is a bug. */
export class EngineError extends Error {
  readonly code: ErrorCode;
  readonly retry_after_s: number | undefined;
  readonly details: readonly string[] | undefined;
  readonly oauth_error: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    { cause, retry_after_s, details, oauth_error }: ErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "EngineError";
    this.code = code;
    this.retry_after_s = retry_after_s;
    this.details = details;
    this.oauth_error = oauth_error;
  }
}

export const badRequest = (message: string, details?: ErrorDetails) =>
  new EngineError("bad_request", message, details);

export const notFound = (kind: string, name: string | number) =>
  new EngineError("not_found", `${kind} not found: ${name}`);

export const conflict = (message: string) => new EngineError("conflict", message);

export const forbidden = (message: string) => new EngineError("forbidden", message);

export const unauthorized = (message: string) => new EngineError("unauthorized", message);

/** Turns anything thrown into an EngineError; what is not one already is a bug and its text stays inside. */
export function toEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  return new EngineError("internal", "an internal error occurred", { cause: error });
}
