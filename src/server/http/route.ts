import type { Context as HonoContext } from "hono";
import type { Engine } from "#engine/engine.ts";
import type { ErrorCode } from "#engine/kernel/error.ts";
import type { Principal } from "#engine/kernel/principal.ts";
import type { Operation } from "#engine/operation.ts";
import type { Allowance } from "#engine/rate-limits/rate-limit.ts";
import type { OpenStreams } from "./open-streams.ts";

/** The type of a configuration document (specification 4). */
export const YAML = "application/x-yaml";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What is known of a request while it is answered. */
export interface RequestState {
  Variables: {
    request_id: string;
    /** The pattern of the route it met; what met none has none. */
    route: string | undefined;
    /** What is left of its rate limit, when one applies. */
    allowance: Allowance | undefined;
    /** Whether failures are told in OAuth's words. */
    speaks_oauth: boolean | undefined;
    /** Where a caller without a token finds out how to get one. */
    resource_metadata: string | undefined;
    open_streams: OpenStreams;
  };
}

export type HttpContext = HonoContext<RequestState>;

/** What a request has become by the time its route answers: the caller is known and may do this. */
export interface ReadRequest {
  readonly principal: Principal;
  readonly input: Record<string, unknown>;
}

/** Answers in a way of its own. */
export type Handler = (
  http: HttpContext,
  request: ReadRequest,
  engine: Engine,
) => Promise<Response>;

// biome-ignore lint/suspicious/noExplicitAny: a table holds operations of every input and output
type AnyOperation = Operation<any, any>;

/** One row of a route table: everything HTTP knows of an operation. */
export interface Route {
  readonly method: Method;
  /** Below `/api/v1`, with `:name` parameters. */
  readonly path: string;
  readonly operation: AnyOperation;
  /** Of a success; 204 has no body. */
  readonly status: number;
  /** For the few routes that are more than a call of their operation. */
  readonly handler?: Handler;
  /** The body is a file in a form, not JSON. */
  readonly takes_file?: true;
  /** The body is a text of this type, whatever its header says; it arrives as `text`. */
  readonly takes_text?: string;
  /** The body is a form's fields (RFC 6749), not JSON. */
  readonly takes_form?: true;
  /** Failures are told in OAuth's words, too (contract 0.2). */
  readonly speaks_oauth?: true;
  /** Rate limits leave it alone: it costs nothing, and monitors and pages ask it often. */
  readonly is_unlimited?: boolean;
  /** Longest body it takes; absent for the limit that all have. */
  readonly body_bytes?: number;
  /** What a longer one is refused with; absent for `bad_request`. */
  readonly oversize_code?: ErrorCode;
  /** The field of the input that the whole body is; absent when the body holds the fields. */
  readonly body_field?: string;
  /** Statuses of refusals that the kind of route does not tell. */
  readonly also_refuses?: readonly number[];
  /** What a successful answer is, when it is not, or not always, the operation's output as JSON. */
  readonly content_type?: string;
}

type Options = Partial<Omit<Route, "method" | "path" | "operation">>;

const row =
  (method: Method, status: number) =>
  (path: string, operation: AnyOperation, options: Options = {}): Route => ({
    method,
    path,
    operation,
    status,
    ...options,
  });

export const get = row("GET", 200);
export const post = row("POST", 200);
export const put = row("PUT", 200);
export const patch = row("PATCH", 200);
export const del = row("DELETE", 204);
