import { z } from "zod";
import { badRequest, EngineError, type ErrorCode } from "#engine/kernel/error.ts";
import { isObject } from "#engine/kernel/json.ts";
import { LIMITS } from "#engine/kernel/limits.ts";
import { readUpload } from "./multipart.ts";
import type { HttpContext, Route } from "./route.ts";

/** A request's fields: query, then body, then path, which can't be talked over. */
export async function readInput(http: HttpContext, route: Route): Promise<Record<string, unknown>> {
  const path = http.req.param() as Record<string, string>;
  if (route.method === "GET") return { ...http.req.query(), ...path };
  if (route.takes_form) return readForm(http, route.body_bytes ?? LIMITS.request_body_bytes);
  if (route.takes_file) return { ...(await readUpload(http)), ...path };
  if (route.takes_text) return { text: await readBody(http, route), ...path };
  const json = await readJson(http, route);
  if (route.body_field !== undefined) return { [route.body_field]: json, ...path };
  const { rename, ...body } = withoutNulls(json, route);
  // A body field with the path parameter's name asks for another name; the operation decides.
  return { ...body, ...(path.name === undefined ? {} : { rename: body.name }), ...path };
}

/** Clients send null for what they do not set; only where null means something, it arrives. */
function withoutNulls(body: Record<string, unknown>, route: Route): Record<string, unknown> {
  const { input } = route.operation;
  const fields: Record<string, z.ZodType> = input instanceof z.ZodObject ? input.shape : {};
  const isSaid = ([key, value]: [string, unknown]) =>
    value !== null || (Object.hasOwn(fields, key) && fields[key]?.safeParse(null).success);
  return Object.fromEntries(Object.entries(body).filter(isSaid));
}

async function readJson(http: HttpContext, route: Route): Promise<Record<string, unknown>> {
  const text = await readBody(http, route);
  if (text.trim() === "") return {};
  const value = parseJson(text);
  if (isObject(value)) return value;
  throw badRequest("the body must be a JSON object");
}

const readBody = (
  http: HttpContext,
  { body_bytes = LIMITS.request_body_bytes, oversize_code }: Route,
): Promise<string> => readText(http, body_bytes, oversize_code);

/** Throws `bad_request` for a field that is there twice: which one counts would be anybody's guess. */
async function readForm(http: HttpContext, limit: number): Promise<Record<string, unknown>> {
  const fields = new URLSearchParams(await readText(http, limit));
  const names = [...fields.keys()];
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw badRequest(`${twice}: is there more than once`);
  return Object.fromEntries(fields);
}

/**
 * Reads no more than the limit, whatever the client says the length is. Throws `bad_request`, or the code
 * that the route has for it.
 */
export async function readText(
  http: HttpContext,
  limit: number,
  oversize_code: ErrorCode = "bad_request",
): Promise<string> {
  const declared = Number(http.req.header("Content-Length") ?? 0);
  if (declared > limit) throw tooLarge(oversize_code, limit);
  // With a declared length the HTTP parser itself reads no further.
  if (declared > 0) return http.req.text();
  if (!http.req.raw.body) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of http.req.raw.body) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(oversize_code, limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const tooLarge = (code: ErrorCode, limit: number) =>
  new EngineError(code, `the body is larger than ${limit} bytes`);

/** Throws `bad_request` for what is no JSON, or nested too deep. */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw badRequest(`the body is not valid JSON: ${reason}`, { cause });
  }
  harmless(value, 0);
  return value;
}

/**
 * Takes away each key that would reach for the prototype once fields are copied. Throws `bad_request` for
 * what is nested so deep that whoever walks through it later would run out of stack.
 */
function harmless(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth > LIMITS.body_depth) {
    throw badRequest(`the body is nested deeper than ${LIMITS.body_depth} levels`);
  }
  Reflect.deleteProperty(value, "__proto__");
  for (const each of Object.values(value)) harmless(each, depth + 1);
}
