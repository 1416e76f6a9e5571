import { badRequest } from "../kernel/error.ts";
import type { HttpToolDefinition, HttpToolParameter } from "./http-tool.ts";
import { type Arguments, type Filling, fillText, fillValue, parametersIn } from "./template.ts";

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

/** The declared parameters, and those that only a template names. */
export function parametersOf(definition: HttpToolDefinition): HttpToolParameter[] {
  const declared = definition.params ?? [];
  const names = new Set(declared.map(({ name }) => name));
  const in_url = parametersIn(definition.url);
  const derived = [...new Set(templatesOf(definition).flatMap(parametersIn))]
    .filter((name) => !names.has(name))
    .map((name) => ({ name, required: true }));
  // What stands in an address can't be left out, whatever is declared.
  const required = declared.map((parameter) =>
    in_url.includes(parameter.name) ? { ...parameter, required: true } : parameter,
  );
  return [...required, ...derived];
}

/** Every text that arguments go into. */
function templatesOf({ url, query = {}, headers = {}, body }: HttpToolDefinition): string[] {
  return [url, ...Object.values(query), ...Object.values(headers), ...textsOf(body)];
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** The request that a call comes to. Throws `bad_request` naming the argument that can't be sent. */
export function buildRequest(definition: HttpToolDefinition, filling: Filling): HttpRequest {
  const { method = "GET", query = {}, headers = {}, body } = definition;
  const placed = new Set(templatesOf(definition).flatMap(parametersIn));
  const rest = Object.entries(filling.args).filter(
    ([name, value]) => !placed.has(name) && value !== undefined,
  );
  const in_query = method === "GET" || method === "HEAD";
  const url = fillUrl(definition.url, filling);
  const asked = Object.entries(query).map(
    ([key, text]) => [key, fillValue(text, filling)] as const,
  );
  for (const [key, value] of [...asked, ...(in_query ? rest : [])]) {
    if (value !== undefined) url.searchParams.append(key, textOf(value));
  }
  const sent = in_query ? undefined : bodyOf(body, Object.fromEntries(rest), filling);
  const filled = Object.entries(headers).map(([name, text]) => [name, fillText(text, filling)]);
  return {
    method,
    url: url.href,
    headers: { ...sent?.headers, ...Object.fromEntries(filled), ...authOf(definition, filling) },
    body: sent?.text,
  };
}

/** Arguments stay within the part of the address that they stand in. */
export function fillUrl(template: string, filling: Filling): URL {
  const [path = "", ...after] = template.split(/(?=[?#])/);
  const inPath = (value: string, parameter: string) => {
    if (value === "") throw badRequest(`${parameter}: must not be empty, as it is part of a path`);
    return encodeURIComponent(value);
  };
  const start = fillText(path, filling, inPath);
  if (parametersIn(path).length > 0 && start.split("/").some((part) => /^\.\.?$/.test(part))) {
    throw badRequest("an argument must not lead to another path");
  }
  const url = start + fillText(after.join(""), filling, encodeURIComponent);
  if (!URL.canParse(url)) throw badRequest("url: is not an absolute address");
  return new URL(url);
}

interface Body {
  readonly text: string;
  readonly headers: Record<string, string>;
}

const JSON_TYPE = { "Content-Type": "application/json" };

function bodyOf(template: unknown, rest: Arguments, filling: Filling): Body | undefined {
  const has_rest = Object.keys(rest).length > 0;
  if (typeof template === "string") return textBody(template, filling);
  const body = fillValue(template, filling);
  if (body === undefined && !has_rest) return undefined;
  const whole = Array.isArray(body) || !has_rest ? body : { ...(body as object), ...rest };
  return { text: JSON.stringify(whole), headers: JSON_TYPE };
}

/** JSON that is written as text stays JSON, whatever an argument holds. */
function textBody(template: string, filling: Filling): Body {
  const is_json = /^\s*[[{]/.test(template);
  const escaped = (value: string) => JSON.stringify(value).slice(1, -1);
  if (is_json) return { text: fillText(template, filling, escaped), headers: JSON_TYPE };
  return { text: fillText(template, filling), headers: { "Content-Type": "text/plain" } };
}

function authOf({ auth }: HttpToolDefinition, filling: Filling): Record<string, string> {
  // Of secrets, nothing is the model's to say.
  const fill = (text: string) => fillText(text, { ...filling, args: {} });
  switch (auth?.type) {
    case undefined:
      return {};
    case "bearer":
      return { Authorization: `Bearer ${fill(auth.token)}` };
    case "basic": {
      const pair = `${fill(auth.username)}:${fill(auth.password)}`;
      return { Authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
    }
    case "header":
      return { [auth.name]: fill(auth.value) };
  }
}

const textOf = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);
