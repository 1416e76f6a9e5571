import { type EngineError, type ErrorCode, toEngineError } from "#engine/kernel/error.ts";
import { oauthCodeOf } from "#engine/oauth/failure.ts";
import type { Logger } from "#engine/services.ts";
import type { HttpContext } from "./route.ts";

/**
 * Specification section 7: oversized bodies are a 400, like every other body that can't be taken; only an
 * import has a status of its own for it.
 */
const STATUS: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  unauthorized: 401,
  usage_limited: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  rate_limited: 429,
  cancelled: 409,
  model_error: 502,
  timeout: 504,
  unavailable: 503,
  internal: 500,
};

/** Any failure as `{error, message}`; what is not an EngineError is logged and stays inside. */
export function errorResponse(http: HttpContext, thrown: unknown, log: Logger): Response {
  const error = toEngineError(thrown);
  const request_id = http.get("request_id");
  if (error.code === "internal") log.error({ err: thrown, request_id }, "request failed");
  if (error.code === "unavailable") log.warn({ request_id }, error.message);
  const { message, details } = error;
  const told = http.get("speaks_oauth") ? oauthWords(error) : { error: error.code };
  return Response.json(
    { ...told, message, request_id, ...(details ? { details } : {}) },
    { status: STATUS[error.code], headers: errorHeaders(error, http) },
  );
}

/** Who is missing a token learns so as everywhere (RFC 6749 has no words for it). */
const oauthWords = (error: EngineError) =>
  error.code === "unauthorized" || error.code === "forbidden"
    ? { error: error.code }
    : { error: oauthCodeOf(error), error_description: error.message };

function errorHeaders(error: EngineError, http: HttpContext): Headers {
  const headers = new Headers();
  if (error.retry_after_s !== undefined) headers.set("Retry-After", String(error.retry_after_s));
  if (error.code === "unauthorized") headers.set("WWW-Authenticate", challenge(error, http));
  return headers;
}

/** RFC 6750: the reason is told only to a caller that presented a token. */
function challenge({ message }: EngineError, http: HttpContext): string {
  const parts = ['Bearer realm="troupe"'];
  if (http.req.header("Authorization") !== undefined) {
    parts.push('error="invalid_token"', `error_description="${message.replace(/["\\]/g, "")}"`);
  }
  const metadata = http.get("resource_metadata");
  if (metadata) parts.push(`resource_metadata="${metadata}"`, 'scope="provision"');
  return parts.join(", ");
}
