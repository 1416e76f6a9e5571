import { badRequest, forbidden } from "../kernel/error.ts";
import { mayUsePrivateAddresses, type Principal } from "../kernel/principal.ts";
import { grants } from "../kernel/scope.ts";
import { isPublicUrl } from "../providers/public-address.ts";
import { isForwardable } from "./forwarded-headers.ts";
import { variablesInUrl } from "./secret-url.ts";
import type { McpServerRecord } from "./server.ts";

/** Who may configure servers that are programs on this machine: nobody, administrators, or every writer. */
export type StdioPolicy = "off" | "admin" | "tokens";

/** What a server needs and may have, whoever asks. Throws `bad_request` naming the field. */
export function requireSound(server: McpServerRecord): void {
  if (server.type === "stdio") requireProgram(server);
  else if (!server.url) throw badRequest(`url: is required for type ${server.type}`);
  else requirePlainUrl(server.url, server.sealed_env_vars);
  const refused = Object.keys(server.sealed_env_vars).find((name) => !isVariable(name));
  if (refused !== undefined)
    throw badRequest(`env_vars: "${refused}" is no name of a variable that may be set here`);
  const header = server.forward_headers.find((name) => !isForwardable(name));
  if (header !== undefined)
    throw badRequest(`forward_headers: "${header}" is no header that may be forwarded`);
}

function requireProgram({ command, args }: McpServerRecord): void {
  if (!command) throw badRequest("command: is required for type stdio");
  if ([command, ...args].some((text) => text.includes("\0")))
    throw badRequest("command and args: must not contain NUL");
}

/** Secrets have their place in env_vars; in an address they would be shown. */
function requirePlainUrl(url: string, variables: Readonly<Record<string, unknown>>): void {
  const { username, password } = new URL(url);
  if (username !== "" || password !== "")
    throw badRequest("url: must not hold a user or password; use auth_type and env_vars");
  // Anywhere else, one could lead to another place than the one that was checked.
  const [place = ""] = url.split("?", 1);
  if (variablesInUrl(place).length > 0)
    throw badRequest("url: a variable may stand in its query only");
  const missing = variablesInUrl(url).find((name) => !Object.hasOwn(variables, name));
  if (missing !== undefined)
    throw badRequest(`url: names \${${missing}}, which is not in env_vars`);
}

/** What makes a loader or an interpreter run other code than the command says. */
const LOADS_CODE =
  /^(LD_|DYLD_|NODE_OPTIONS$|NODE_PATH$|NODE_REPL_|PYTHON(STARTUP|HOME|PATH|INSPECT)$|PERL5?(OPT|LIB|DB)$|RUBY(OPT|LIB)$|JAVA_TOOL_OPTIONS$|_JAVA_OPTIONS$|JDK_JAVA_OPTIONS$|BASH_ENV$|BASH_FUNC_|ENV$|SHELLOPTS$|PS4$|PROMPT_COMMAND$|IFS$|GCONV_PATH$|GLIBC_TUNABLES$|GIT_(SSH|EXEC_PATH|CONFIG)|BUN_OPTIONS$|DENO_)/i;

const isVariable = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) && !LOADS_CODE.test(name);

/**
 * What this caller may connect a server to. `before` is the server as it was: who leaves alone what runs
 * or is called needs no authority over it. Throws `bad_request` for what nobody may here, else `forbidden`.
 */
export function requireAuthority(
  principal: Principal,
  policy: StdioPolicy,
  server: McpServerRecord,
  before?: McpServerRecord,
): void {
  if (before && !isMoved(before, server)) return;
  if (server.type === "stdio") requireStdio(principal, policy);
  else requireAddress(principal, server, before);
}

function requireAddress(
  principal: Principal,
  server: McpServerRecord,
  before: McpServerRecord | undefined,
): void {
  if (before && takesSecretsAlong(before, server) && !grants(principal.scopes_mask, "admin"))
    throw forbidden(
      "url: send the values of env_vars anew, as those there are would go to another address",
    );
  if (!mayUsePrivateAddresses(principal) && !isPublicUrl(server.url ?? ""))
    throw forbidden(
      "url: a token with the scope provision may use public addresses only; an administrator may use others",
    );
}

/** Who may not read a secret must not have it sent to an address of their own. */
function takesSecretsAlong(before: McpServerRecord, after: McpServerRecord): boolean {
  if (before.url && after.url && new URL(before.url).href === new URL(after.url).href) return false;
  const { sealed_env_vars: known } = before;
  return Object.entries(after.sealed_env_vars).some(([name, value]) => known[name] === value);
}

function requireStdio({ scopes_mask }: Principal, policy: StdioPolicy): void {
  if (policy === "off")
    throw badRequest("type: stdio is turned off on this server (setting mcp_stdio)");
  if (policy === "tokens" || grants(scopes_mask, "admin")) return;
  throw forbidden(
    "type: stdio runs a program on this machine, which takes the scope admin (setting mcp_stdio)",
  );
}

/** Whether a change is one of what is run or called, and with what. */
export const isMoved = (before: McpServerRecord, after: McpServerRecord): boolean =>
  targetText(before) !== targetText(after);

/** What is run or called, and with what. */
export const targetText = ({
  type,
  command,
  args,
  url,
  sealed_env_vars,
}: McpServerRecord): string =>
  JSON.stringify([type, command, args, url, type === "stdio" ? sealed_env_vars : {}]);
