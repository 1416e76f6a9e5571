import { Command } from "commander";
import { createToken, listTokens, revokeToken } from "#engine/auth/operations.ts";
import { notFound } from "#engine/kernel/error.ts";
import { isUuid } from "#engine/kernel/fields.ts";
import { maskOfName, SCOPE_SUMMARIES, scopeNames } from "#engine/kernel/scope.ts";
import type { ConnectFlags } from "../client/connect.ts";
import { note, print, printJson, usageError } from "../output.ts";
import { table } from "../table.ts";
import { clientOptions } from "./options.ts";
import { using } from "./using.ts";

interface Flags extends ConnectFlags {
  readonly json?: boolean;
}

const SCOPE_COLUMNS = 18;

export function tokensCommand(): Command {
  const command = new Command("tokens").description("API tokens: what programs authenticate with");
  clientOptions(command.command("create"))
    .description("Create a token; its value is shown this once")
    .requiredOption("--name <name>", "what the token is called")
    .requiredOption("--scope <scope>", "what it may do; repeat for several", collect, [])
    .addHelpText("after", SCOPES)
    .action(create);
  clientOptions(command.command("list"))
    .description("List tokens, without their values")
    .action(list);
  clientOptions(command.command("revoke"))
    .description("Revoke a token by id or name; it stops working at once")
    .argument("<id>", "the token's id or name")
    .action(revoke);
  return command;
}

const SCOPES = `
Scopes:
${Object.entries(SCOPE_SUMMARIES)
  .map(([name, summary]) => `  ${name.padEnd(SCOPE_COLUMNS)}${summary}`)
  .join("\n")}

A name alone, as in "agents", is short for agents:read.`;

const collect = (value: string, sofar: string[]) => [...sofar, ...value.split(",")];

async function create({ name, scope, ...flags }: Flags & { name: string; scope: string[] }) {
  const unknown = scope.find((given) => maskOfName(given) === undefined);
  if (unknown !== undefined) {
    throw usageError(
      `--scope: there is no scope "${unknown}"; there are ${scopeNames().join(", ")}`,
    );
  }
  const token = await using(flags, (client) => client.call(createToken, { name, scopes: scope }));
  if (flags.json) return void printJson(token);
  print(token.token);
  note(
    `Token "${token.name}" may: ${token.scopes.join(", ")}. Keep the value: it is not shown again.`,
  );
}

async function list(flags: Flags) {
  const tokens = await using(flags, (client) => client.call(listTokens, {}));
  if (flags.json) return void printJson(tokens);
  if (tokens.length === 0)
    return void note("No tokens yet: troupe tokens create --name my-app --scope chat");
  const rows = tokens.map(({ id, name, scopes, created_at, last_used_at }) => [
    id,
    name,
    scopes.join(","),
    created_at,
    last_used_at ?? "never",
  ]);
  print(table(["ID", "NAME", "SCOPES", "CREATED", "LAST USED"], rows));
}

async function revoke(key: string, flags: Flags) {
  const token = await using(flags, async (client) => {
    const tokens = await client.call(listTokens, {});
    const found = tokens.find(({ id, name }) =>
      isUuid(key) ? id === key.toLowerCase() : name === key,
    );
    if (!found) throw notFound("token", key);
    await client.call(revokeToken, { id: found.id });
    return found;
  });
  if (flags.json) return void printJson({ id: token.id, name: token.name, revoked: true });
  note(`Token "${token.name}" is revoked.`);
}
