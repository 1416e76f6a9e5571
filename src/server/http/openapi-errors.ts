import type { Route } from "./route.ts";

type Json = Record<string, unknown>;

export const ERROR_SCHEMA: Json = {
  type: "object",
  required: ["error", "message"],
  properties: {
    error: { type: "string", description: "A short code for programs" },
    message: { type: "string", description: "What went wrong and what to do, for people" },
    request_id: { type: "string" },
    details: { type: "array", items: { type: "string" } },
  },
};

interface Refusal {
  readonly name: string;
  readonly code: string;
  readonly description: string;
  readonly message: string;
}

/** What a route may answer instead, by status (specification 7). */
const REFUSALS: Readonly<Record<number, Refusal>> = {
  400: {
    name: "BadRequest",
    code: "bad_request",
    description: "A field, an id or the body is not acceptable",
    message: "name: must not be empty",
  },
  401: {
    name: "Unauthorized",
    code: "unauthorized",
    description: "No token, or one that is invalid, expired or revoked",
    message: "the API token is invalid or was revoked",
  },
  402: {
    name: "UsageLimited",
    code: "usage_limited",
    description: "A usage limit is reached",
    message: "usage limit reached: 1000 of 1000 turns used (tenant)",
  },
  403: {
    name: "Forbidden",
    code: "forbidden",
    description: "The token lacks the scope",
    message: "this token lacks the scope agents:write",
  },
  404: {
    name: "NotFound",
    code: "not_found",
    description: "There is no such thing, or the caller may not see it",
    message: "agent not found: helper",
  },
  409: {
    name: "Conflict",
    code: "conflict",
    description: "The name is taken, the thing is in use, or its state does not allow this",
    message: "an agent with this name exists already",
  },
  413: {
    name: "PayloadTooLarge",
    code: "payload_too_large",
    description: "The body is larger than this route takes",
    message: "the body is larger than 16777216 bytes",
  },
  429: {
    name: "RateLimited",
    code: "rate_limited",
    description: "Too many requests; the header Retry-After says when to try again",
    message: "more than 60 requests in this window; try again in 40 s",
  },
};

const errorContent = (error: string, message: string): Json => ({
  "application/json": {
    schema: { $ref: "#/components/schemas/Error" },
    example: { error, message },
  },
});

/** Shared by every route that refers to them. */
export const ERROR_RESPONSES: Json = {
  ...Object.fromEntries(
    Object.values(REFUSALS).map(({ name, code, description, message }) => [
      name,
      { description, content: errorContent(code, message) },
    ]),
  ),
  Failed: {
    description: "The server, or something it needs, failed",
    content: errorContent("internal", "an internal error occurred"),
  },
};

const refer = (name: string): Json => ({ $ref: `#/components/responses/${name}` });

/** The statuses that a route can refuse with, and one for failures of any kind. */
export function errorsOf(route: Route, has_fields: boolean): Record<string, Json> {
  const statuses = Object.entries(REFUSALS).filter(([status]) =>
    canAnswer(route, has_fields, Number(status)),
  );
  return {
    ...Object.fromEntries(statuses.map(([status, { name }]) => [status, refer(name)])),
    default: refer("Failed"),
  };
}

function canAnswer(route: Route, has_fields: boolean, status: number): boolean {
  const { operation, path, method, is_unlimited = false, also_refuses = [] } = route;
  const is_public = operation.scope === "public";
  const names_one = path.includes(":");
  if (also_refuses.includes(status)) return true;
  switch (status) {
    case 400:
      return has_fields || names_one;
    case 401:
    case 403:
      return !is_public;
    case 404:
      return names_one;
    case 409:
      return operation.effect !== "read" && (names_one || method === "POST");
    case 413:
      return route.oversize_code === "payload_too_large";
    case 429:
      return !is_unlimited;
    default:
      return false;
  }
}
