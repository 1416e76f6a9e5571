import { EngineError, type ErrorCode } from "../kernel/error.ts";

/** What RFC 6749, 7591 and 8707 call what went wrong. */
export type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_scope"
  | "invalid_target"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "invalid_redirect_uri"
  | "temporarily_unavailable"
  | "server_error";

/** A failure that OAuth has a word for; everywhere else it is a bad request. */
export const oauthError = (oauth_error: OAuthErrorCode, message: string): EngineError =>
  new EngineError("bad_request", message, { oauth_error });

const WORDS: Partial<Record<ErrorCode, OAuthErrorCode>> = {
  rate_limited: "temporarily_unavailable",
  unavailable: "temporarily_unavailable",
  internal: "server_error",
};

export const oauthCodeOf = ({ code, oauth_error }: EngineError): string =>
  oauth_error ?? WORDS[code] ?? "invalid_request";
