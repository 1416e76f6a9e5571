import { EngineError } from "../../kernel/error.ts";
import type { SecretBox } from "../../kernel/secrets.ts";
import { filledUrl, spellingsOf, variablesInUrl } from "../secret-url.ts";
import type { McpServerRecord } from "../server.ts";
import { openVariables } from "../variables.ts";
import type { Target } from "./connection.ts";
import type { LaunchProgram } from "./launch.ts";
import { createServerFetch } from "./server-fetch.ts";

/** What it takes to reach servers. */
export interface Surroundings {
  readonly secrets: SecretBox;
  /** Absent where no program may be run. */
  readonly launch: LaunchProgram | undefined;
  /** Reaches public addresses only. */
  readonly publicFetch: typeof fetch;
  /** Reaches this machine and its site, too, but nothing link-local, where clouds tell credentials. */
  readonly siteFetch: typeof fetch;
  /** A variable of this process's environment. */
  readonly readVariable: (name: string) => string | undefined;
}

/** Where a server is, with its secrets opened. Throws `unavailable` saying what is missing. */
export function targetOf(server: McpServerRecord, surroundings: Surroundings): Target {
  const { secrets, launch, publicFetch, siteFetch } = surroundings;
  const variables = openVariables(secrets, server.sealed_env_vars);
  if (server.type === "stdio") {
    if (!launch) throw unavailable("programs cannot be run here");
    const { command = "", args } = server;
    return { type: "program", program: { command, args, env: variables }, launch };
  }
  const { url = "" } = server;
  return {
    type: server.type === "sse" ? "sse" : "http",
    url: filledUrl(url, variables),
    in_url: variablesInUrl(url).flatMap((name) => spellingsOf(variables[name] ?? "")),
    token: tokenOf(server, variables, surroundings),
    fetch: createServerFetch(server.is_trusted ? siteFetch : publicFetch),
  };
}

/**
 * Variables of the process that an administrator's servers may be given: those that were put there for
 * them. Whoever may configure a server could else have any secret sent to an address of their own.
 */
const FOR_SERVERS = /^MCP_/;

function tokenOf(
  { auth_type, auth_key_env, auth_token_env, is_trusted }: McpServerRecord,
  variables: Readonly<Record<string, string>>,
  { readVariable }: Surroundings,
): string | undefined {
  if (auth_type === "none" || auth_type === "forward_headers") return undefined;
  const field = auth_type === "api_key" ? "auth_key_env" : "auth_token_env";
  const name = auth_type === "api_key" ? auth_key_env : auth_token_env;
  if (!name) throw unavailable(`${field} must name the variable that holds the secret`);
  const own = Object.hasOwn(variables, name) ? variables[name] : undefined;
  const value = own ?? (is_trusted && FOR_SERVERS.test(name) ? readVariable(name) : undefined);
  if (value) return value;
  throw unavailable(
    `${field}: there is no ${name} in the server's env_vars, nor, as MCP_…, in the environment`,
  );
}

/** Shorter ones stand in texts by chance. */
const SECRET_CHARACTERS_MIN = 6;

/** Takes a server's secrets out of what it, or its program, says of a failure: that is shown to readers. */
export function secretHider(target: Target): (text: string) => string {
  const secrets =
    target.type === "program"
      ? Object.values(target.program.env)
      : [target.token, ...(target.in_url ?? [])];
  const hidden = secrets.filter((one) => one !== undefined && one.length >= SECRET_CHARACTERS_MIN);
  return (text) => hidden.reduce<string>((rest, one) => rest.replaceAll(one ?? "", "***"), text);
}

const unavailable = (message: string) => new EngineError("unavailable", message);
