import { z } from "zod";
import { EngineError } from "../../kernel/error.ts";
import {
  createMcpServer,
  deleteMcpServer,
  replaceMcpServer,
} from "../../mcp-servers/operations.ts";
import { requireSound } from "../../mcp-servers/rules.ts";
import { keepSecrets, variablesInUrl, withoutSecrets } from "../../mcp-servers/secret-url.ts";
import { type McpServerRecord, ServerCreate } from "../../mcp-servers/server.ts";
import { maskedVariables } from "../../mcp-servers/variables.ts";
import { perform } from "../perform.ts";
import { errorAt } from "../problem.ts";
import { type Entry, type Item, openSecret, type Section, toEntry } from "../section.ts";
import { isVariable } from "../variables.ts";

const { name, type, ...rest } = ServerCreate.shape;

type Input = z.input<typeof ServerCreate>;
type Texts = Readonly<Record<string, string>>;

const defaults: Entry = {
  args: [],
  env_vars: {},
  forward_headers: [],
  auth_type: "none",
  enabled: true,
};

/** Of a server's variables, a document holds the names: `NAME: ${NAME}` (contract 4.11). */
export const mcpServerSection: Section = {
  key: "mcp_servers",
  noun: "MCP server",
  entry: z.object({ name, type: type.optional(), ...rest }),
  aliases: { env: "env_vars" },
  ignored: {},
  secret_fields: [["env_vars", "*"]],
  list: async ({ mcp_servers }, secrets) =>
    (await mcp_servers.list()).map((server) => ({
      name: server.name,
      entry: canonical({
        ...server,
        url: withoutSecrets(server.url ?? "").url,
        env_vars: maskedVariables(Object.keys(server.sealed_env_vars)),
      }),
      secrets: Object.fromEntries(
        Object.entries(server.sealed_env_vars).map(([key, sealed]) => [
          `env_vars.${key}`,
          openSecret(secrets, sealed),
        ]),
      ),
      seal: JSON.stringify(server.sealed_env_vars),
    })),
  toItem({ name, fields }, world) {
    const before = world.mcp_servers.get(name)?.entry ?? {};
    const known = (before.env_vars ?? {}) as Texts;
    const { url, secrets } = addressOf(fields.url, before.url);
    const masked = maskedVariables(variablesInUrl(url));
    const variables = { ...masked, ...(fields.env_vars as Texts | undefined), ...secrets };
    const given = Object.entries(variables).filter(([, value]) => !isVariable(value));
    // One that is named and has no value anywhere is left out.
    const kept = Object.keys(variables).filter(
      (key) => given.some(([each]) => each === key) || Object.hasOwn(known, key),
    );
    return {
      name,
      entry: canonical({
        ...fields,
        url,
        type: fields.type ?? (fields.url ? "streamable-http" : "stdio"),
        env_vars: maskedVariables(kept),
      }),
      secrets: Object.fromEntries(given.map(([key, value]) => [`env_vars.${key}`, value])),
    };
  },
  check(item, _world, { placeOf }) {
    try {
      requireSound(toRecord(item));
      return [];
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return [errorAt(placeOf([error.message.split(":")[0] ?? ""]), error.message)];
    }
  },
  async create(ctx, item) {
    await perform(ctx, createMcpServer, toInput(item), ["mcp_servers", item.name]);
  },
  async update(ctx, item) {
    const { enabled = true, ...input } = toInput(item);
    await perform(ctx, replaceMcpServer, { ...input, enabled }, ["mcp_servers", item.name]);
  },
  async remove(ctx, name) {
    await perform(ctx, deleteMcpServer, { name }, ["mcp_servers", name]);
  },
};

/** With its secrets where they belong, among the variables. */
const addressOf = (url: unknown = "", before: unknown = "") =>
  withoutSecrets(keepSecrets(String(url), String(before)));

function canonical(fields: Entry): Entry {
  const { command, args, url, catalog_refresh_interval_seconds, ...others } = fields;
  const target = fields.type === "stdio" ? { command, args } : { url };
  const interval = catalog_refresh_interval_seconds ?? undefined;
  const said = { ...others, ...target, catalog_refresh_interval_seconds: interval };
  const present = Object.entries(said).map(([key, value]) => [
    key,
    value === "" ? undefined : value,
  ]);
  return toEntry(mcpServerSection, Object.fromEntries(present), defaults);
}

const toRecord = ({ entry }: Item): McpServerRecord =>
  ({ ...defaults, ...entry, sealed_env_vars: entry.env_vars ?? {} }) as unknown as McpServerRecord;

function toInput({ name, entry, secrets }: Item): Input {
  const names = Object.entries((entry.env_vars ?? {}) as Texts);
  const env_vars = names.map(([key, mask]) => [key, secrets[`env_vars.${key}`] ?? mask]);
  const variables = names.length > 0 ? { env_vars: Object.fromEntries(env_vars) } : {};
  return { ...entry, ...variables, name } as unknown as Input;
}
