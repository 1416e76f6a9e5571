import type { z } from "zod";
import type { CatalogEntry } from "#engine/mcp-servers/catalog.ts";
import type { ServerCreate } from "#engine/mcp-servers/server.ts";
import { usageError } from "../output.ts";
import type { Environment } from "../settings/load-config.ts";

/** What `troupe mcp add` was told of a server, beside its name. */
export interface AddFlags {
  readonly type?: string;
  /** NAME=VALUE, or NAME for a variable of this command's own environment. */
  readonly env: readonly string[];
  readonly forwardHeader: readonly string[];
  /** The variable that holds the bearer token. */
  readonly tokenEnv?: string;
}

type Server = z.input<typeof ServerCreate>;

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text);

/** The request that creates the server: of a program with its arguments, or of an address. */
export function serverOf(
  name: string,
  target: readonly string[],
  flags: AddFlags,
  environment: Environment,
): Server {
  const [first, ...args] = target;
  if (first === undefined) throw nothingToAdd(name);
  const env_vars = variablesOf(flags.env, environment);
  if (!isAddress(first)) return { name, type: "stdio", command: first, args, env_vars };
  if (args.length > 0) throw usageError(`an address takes no arguments: ${args.join(" ")}`);
  const type = (flags.type ?? "streamable-http") as Server["type"];
  const { forwardHeader: forward_headers, tokenEnv } = flags;
  return {
    name,
    type,
    url: first,
    env_vars,
    forward_headers: [...forward_headers],
    ...authBy(tokenEnv, forward_headers),
  };
}

function authBy(auth_key_env: string | undefined, forward_headers: readonly string[]) {
  if (auth_key_env !== undefined) return { auth_type: "api_key" as const, auth_key_env };
  return forward_headers.length > 0 ? { auth_type: "forward_headers" as const } : {};
}

const nothingToAdd = (name: string) =>
  usageError(
    `say what to add: troupe mcp add ${name} https://…, troupe mcp add ${name} -- COMMAND ARGS…, or troupe mcp add ${name} --from-catalog ENTRY`,
  );

/** An example in the catalogue, where everybody has something of their own. */
const isPlaceholder = (argument: string): boolean => argument.startsWith("/path/to/");

/**
 * As the catalogue says. `target` takes the place of its examples: arguments, or an address. Throws a usage
 * error that names what is missing.
 */
export function serverFromCatalog(
  name: string,
  entry: CatalogEntry,
  target: readonly string[],
  flags: AddFlags,
  environment: Environment,
): Server {
  const wanted = flags.type === undefined ? undefined : flags.type === "stdio";
  const found = entry.packages.find(
    ({ type }) => wanted === undefined || wanted === (type !== "remote"),
  );
  if (!found) throw usageError(`--type: ${entry.name} is not to be had as ${flags.type}`);
  const {
    type,
    command = "docker",
    args = [],
    image = "",
    url_template = "",
    env_vars = [],
  } = found;
  const given = variablesOf(flags.env, environment);
  const missing = env_vars.filter((one) => one.required && !Object.hasOwn(given, one.name));
  if (missing.length > 0) {
    const list = missing.map((one) => `--env ${one.name}=… (${one.description ?? "required"})`);
    throw usageError(`${entry.name} needs ${list.join(", ")}`);
  }
  if (type === "remote") {
    const tokenEnv = flags.tokenEnv ?? env_vars.find(({ secret }) => secret)?.name;
    const url = target.length > 0 ? target : [filledIn(entry.name, url_template)];
    return serverOf(name, url, { ...flags, ...(tokenEnv && { tokenEnv }) }, environment);
  }
  if (type === "docker") {
    const variables = env_vars.flatMap((one) => ["-e", one.name]);
    return serverOf(name, [command, "run", "-i", "--rm", ...variables, image], flags, environment);
  }
  const own = args.filter((argument) => !isPlaceholder(argument));
  if (own.length < args.length && target.length === 0)
    throw usageError(
      `${entry.name} needs its own arguments: … --from-catalog ${entry.name} -- DIR`,
    );
  return serverOf(name, [command, ...own, ...target], flags, environment);
}

function filledIn(entry: string, url_template: string): string {
  if (!url_template.includes("{")) return url_template;
  throw usageError(`${entry} needs its address, like ${url_template}: give it after the name`);
}

function variablesOf(texts: readonly string[], environment: Environment): Record<string, string> {
  return Object.fromEntries(
    texts.map((text): [string, string] => {
      const end = text.indexOf("=");
      if (end > 0) return [text.slice(0, end), text.slice(end + 1)];
      const value = environment[text];
      if (value !== undefined) return [text, value];
      throw usageError(`--env: ${text} is not set here; write ${text}=VALUE, or set it first`);
    }),
  );
}
