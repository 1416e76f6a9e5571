import { z } from "zod";
import type { Context } from "../../context.ts";
import {
  HttpToolDefinition,
  HttpToolName,
  type HttpToolRecord,
} from "../../http-tools/http-tool.ts";
import { deleteHttpTool, saveHttpTool } from "../../http-tools/operations.ts";
import { parametersIn } from "../../http-tools/template.ts";
import { isObject } from "../../kernel/json.ts";
import { isSecretName, mapSecretQuery } from "../../kernel/secret-query.ts";
import { isSiteUrl } from "../../providers/public-address.ts";
import { isReserved } from "../../tools/tool-name.ts";
import { perform } from "../perform.ts";
import { errorAt, missingAt, type Path, type Problem, warningAt } from "../problem.ts";
import {
  type About,
  type Entry,
  type Item,
  isClear,
  openSecret,
  type Section,
  toEntry,
} from "../section.ts";
import { expandText, mapTexts, type Variables, variablesIn } from "../variables.ts";

const { shape } = HttpToolDefinition;

const defaults: Entry = {
  type: "http",
  method: "GET",
  params: [],
  query: {},
  headers: {},
  confirmation_required: false,
  idempotent: false,
  allow_private_address: false,
};

export const toolSection: Section = {
  key: "tools",
  noun: "tool",
  entry: z.object({ name: HttpToolName, ...shape }),
  aliases: { endpoint: "url", parameters: "params" },
  ignored: {},
  open_fields: ["params", "auth"],
  secret_fields: [
    ["auth", "token"],
    ["auth", "password"],
    ["auth", "value"],
    ["headers", "*"],
    ["query", "*"],
  ],
  keeps_variables: true,
  prepare,
  list: async ({ http_tools }, secrets) =>
    (await http_tools.list()).map(({ name, definition, sealed_variables }: HttpToolRecord) => ({
      name,
      entry: toEntry(toolSection, definition, defaults),
      secrets: Object.fromEntries(
        Object.entries(sealed_variables).map(([key, sealed]) => [key, openSecret(secrets, sealed)]),
      ),
      seal: JSON.stringify(sealed_variables),
    })),
  toItem({ name, fields, variables }) {
    const { definition, clear } = withoutClear(name, fields);
    const given = namesIn(definition).flatMap((key) => {
      const value = clear[key] ?? (Object.hasOwn(variables, key) ? variables[key] : undefined);
      return value === undefined ? [] : [[key, value] as const];
    });
    return {
      name,
      entry: toEntry(toolSection, definition, defaults),
      secrets: Object.fromEntries(given),
    };
  },
  check: (item, _world, about) => [
    ...checkName(item, about),
    ...checkVariables(item, about),
    ...checkUrl(item, about),
  ],
  create: save,
  update: save,
  async remove(ctx, name) {
    await perform(ctx, deleteHttpTool, { name }, ["tools", name]);
  },
};

async function save(ctx: Context, { name, entry, secrets }: Item): Promise<void> {
  const definition = entry as HttpToolRecord["definition"];
  const input = { name, definition, variables: { ...secrets }, names: namesIn(entry) };
  await perform(ctx, saveHttpTool, input, ["tools", name]);
}

/** Every way in which editions write a request. */
function prepare(fields: Entry): Entry {
  const { url, method, params, query, auth, ...rest } = fields;
  const [, verb, address] = /^\s*([A-Za-z]+)\s+(\S.*)$/.exec(String(url ?? "")) ?? [];
  const parameters = prepareParams(params);
  return {
    ...rest,
    url: address ?? url,
    method: method ?? verb,
    params: parameters.params,
    query: query ?? parameters.query,
    auth: prepareAuth(auth),
  };
}

/** A list of parameters, a map of them by name, or texts for the query. */
function prepareParams(params: unknown): { params?: unknown; query?: unknown } {
  if (!isObject(params)) return { params };
  const entries = Object.entries(params);
  if (entries.every(([, value]) => !isObject(value))) {
    return { query: Object.fromEntries(entries.map(([key, value]) => [key, String(value)])) };
  }
  return { params: entries.map(([name, value]) => ({ name, ...(isObject(value) ? value : {}) })) };
}

function prepareAuth(auth: unknown): unknown {
  if (!isObject(auth) || auth.token_env === undefined) return auth;
  const { token_env, ...rest } = auth;
  return { token: `\${${token_env}}`, ...rest };
}

const namesIn = (definition: unknown): string[] => {
  const names = new Set<string>();
  mapTexts(definition, (text) => {
    for (const name of variablesIn(text)) names.add(name);
    return text;
  });
  return [...names];
};

/** A secret that stands in the document gets a variable's name, by which alone it is shown from then on. */
function withoutClear(tool: string, fields: Entry) {
  const clear: Record<string, string> = {};
  const taken = new Set(namesIn(fields));
  const hidden = (path: Path, value: string): string => {
    const wanted = [tool, ...path].join("_").toUpperCase().replace(/\W/g, "_");
    let name = wanted;
    for (let number = 2; taken.has(name); number += 1) name = `${wanted}_${number}`;
    taken.add(name);
    clear[name] = expandText(value, () => "");
    return `\${${name}}`;
  };
  const hiddenIf = (is_secret: boolean, path: Path, text: string) =>
    is_secret && isClear(text) ? hidden(path, text) : text;
  const definition = mapTexts(fields, (text, path) => {
    if (path.join() !== "url") return hiddenIf(isSecretPlace(path), path, text);
    return mapSecretQuery(text, (value, parameter) => hiddenIf(true, [...path, parameter], value));
  }) as Entry;
  return { definition, clear };
}

function isSecretPlace(path: Path): boolean {
  const [field, key = ""] = path.map(String);
  const is_auth = field === "auth" && /^(token|password|value)$/.test(key);
  return is_auth || ((field === "headers" || field === "query") && isSecretName(key));
}

function checkName({ name }: Item, { placeOf }: About): Problem[] {
  if (!isReserved(name)) return [];
  return [errorAt(placeOf([]), `name: "${name}" is what a tool of the product is called`)];
}

/** What is known of each variable: what is given, else what there is. */
const valuesOf = ({ secrets }: Item, { before }: About): Variables => ({
  ...before?.secrets,
  ...secrets,
});

function checkVariables(item: Item, about: About): Problem[] {
  if (!about.declared) return [];
  const known = valuesOf(item, about);
  return namesIn(item.entry)
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) =>
      warningAt(about.placeOf([]), `\${${name}} is not set here: calls fail until it is`),
    );
}

function checkUrl(item: Item, about: About): Problem[] {
  const known = valuesOf(item, about);
  const url = String(item.entry.url);
  const place = about.placeOf(["url"]);
  const missing = variablesIn(url).find((name) => !Object.hasOwn(known, name));
  if (missing) return [missingAt(place, `url: \${${missing}} is not set here`)];
  const filled = expandText(url, (name) => known[name] ?? "");
  const origin = /^[^/]*\/\/[^/?#]*/.exec(filled)?.[0] ?? "";
  if (parametersIn(origin).length > 0)
    return [
      errorAt(place, "url: a parameter can't be part of the host: the model would choose it"),
    ];
  if (!URL.canParse(filled) || !/^https?:$/.test(new URL(filled).protocol))
    return [errorAt(place, "url: must be an absolute http or https URL")];
  if (isSiteUrl(filled)) return [];
  return [errorAt(place, "url: must not hold a user or password, or lead to such an address")];
}
