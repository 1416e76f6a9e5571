import { z } from "zod";
import { EngineError } from "../kernel/error.ts";
import { sha256 } from "../kernel/ids.ts";
import { LIMITS } from "../kernel/limits.ts";
import type { SecretBox } from "../kernel/secrets.ts";
import type { Breakers } from "../resilience/breakers.ts";
import type { Tool, ToolOutcome } from "../tools/tool.ts";
import { addressOf } from "./address.ts";
import type { HttpToolDefinition, HttpToolParameter, HttpToolRecord } from "./http-tool.ts";
import { buildRequest, fillUrl, parametersOf } from "./request.ts";
import { namesPrivateHost, type OutboundFetch, send } from "./send.ts";
import type { Arguments } from "./template.ts";

export interface HttpToolServices {
  readonly secrets: SecretBox;
  readonly breakers: Breakers;
  readonly outbound: OutboundFetch;
}

/** Beyond the request's own time, so that it is the request that tells of it. */
const SLACK_MS = 5_000;

/** A declared tool as agents have it. */
export function httpTool(record: HttpToolRecord, services: HttpToolServices): Tool {
  const { name, definition } = record;
  const { method = "GET", timeout = LIMITS.http_tool_timeout_s.default } = definition;
  const is_read = method === "GET" || method === "HEAD";
  return {
    name,
    description: definition.description ?? `Sends a ${method} request.`,
    security_zone: "caution",
    risk_warning: is_read ? "Asks another service" : "Can change something at another service",
    retry: is_read || definition.idempotent === true ? "safe" : "never",
    timeout_ms: timeout * 1000 + SLACK_MS,
    needs_approval: definition.confirmation_required === true,
    digest: () => digestOf(record, services),
    input: inputOf(definition),
    execute: (input, { signal }) => call(record, services, input as Arguments, signal),
  };
}

/** Differs when the declaration does, or where it leads: what somebody approved was this one. */
function digestOf(record: HttpToolRecord, { secrets }: HttpToolServices): string {
  let address = "";
  try {
    address = addressOf(secrets, record);
  } catch {
    // It leads nowhere, and the call itself says why.
  }
  return sha256(JSON.stringify([record.definition, address]));
}

function inputOf(definition: HttpToolDefinition): z.ZodType {
  return z.object(
    Object.fromEntries(parametersOf(definition).map((each) => [each.name, fieldOf(each)])),
  );
}

function fieldOf({ type = "string", description, required }: HttpToolParameter): z.ZodType {
  const field = TYPES[type]();
  const told = description === undefined ? field : field.describe(description);
  return required === true ? told : told.optional();
}

const TYPES: Readonly<Record<NonNullable<HttpToolParameter["type"]>, () => z.ZodType>> = {
  string: () => z.string(),
  number: () => z.number(),
  integer: () => z.int(),
  boolean: () => z.boolean(),
  array: () => z.array(z.unknown()),
  object: () => z.record(z.string(), z.unknown()),
};

async function call(
  { definition, sealed_variables }: HttpToolRecord,
  { secrets, breakers, outbound }: HttpToolServices,
  args: Arguments,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const variables = Object.fromEntries(
    Object.entries(sealed_variables).map(([key, sealed]) => [key, secrets.open(sealed)]),
  );
  const filling = { variables, args };
  const request = buildRequest(definition, filling);
  const { host, href } = fillUrl(definition.url, filling);
  const is_private = definition.allow_private_address === true || namesPrivateHost(href);
  const seconds = definition.timeout ?? LIMITS.http_tool_timeout_s.default;
  const timer = AbortSignal.timeout(seconds * 1000);
  const work = async () => {
    try {
      return await send(outbound, request, {
        is_private,
        signal: AbortSignal.any([signal, timer]),
      });
    } catch (error) {
      if (!timer.aborted || signal.aborted) throw error;
      throw new EngineError("timeout", `${host} did not answer within ${seconds} s`);
    }
  };
  const { status, text } = await breakers.guard(`http:${host}`, work, isOutsideFailure);
  if (status >= 400) return { content: `HTTP ${status}: ${text}`, is_untrusted: true };
  return { content: text === "" ? `HTTP ${status}` : text, is_untrusted: true };
}

/** What the other side is to blame for; neither a bad argument nor somebody who gave up. */
const isOutsideFailure = (error: unknown): boolean =>
  error instanceof EngineError && (error.code === "unavailable" || error.code === "timeout");
