import { homedir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { createToken, listTokens } from "#engine/auth/operations.ts";
import { EngineError } from "#engine/kernel/error.ts";
import {
  CODING_AGENTS,
  type CodingAgent,
  type Connection,
  snippetOf,
} from "#server/setup/coding-agents.ts";
import { type Client, isServer } from "../client/client.ts";
import { type ConnectFlags, connect } from "../client/connect.ts";
import { note, print, printJson, usageError } from "../output.ts";
import { withServer, write } from "../setup/write.ts";
import { table } from "../table.ts";
import { clientOptions } from "./options.ts";

interface Flags extends ConnectFlags {
  readonly json?: boolean;
  readonly list?: boolean;
  readonly write?: boolean;
  readonly scope: string;
  readonly oauth?: boolean;
}

const EXAMPLES = `
Examples:
  troupe setup --list                   the coding agents it knows
  troupe setup codex                    print what to put into the configuration
  troupe setup claude-code --write      put it there, with a new token
  troupe setup cursor --oauth --write   without a token: consent in the browser instead`;

export function setupCommand(): Command {
  return clientOptions(new Command("setup"))
    .description("Connect a coding agent to a running server, over MCP")
    .argument("[agent]", "which coding agent; --list names them")
    .option("--list", "list the coding agents")
    .option("--write", "write the coding agent's configuration instead of printing it")
    .option("--scope <scope>", "provision, or manage to let it delete and replace", "provision")
    .option("--oauth", "make no token: the coding agent asks for consent in the browser")
    .addHelpText("after", EXAMPLES)
    .action((agent: string | undefined, flags: Flags) => setup(agent, flags));
}

async function setup(id: string | undefined, flags: Flags): Promise<void> {
  if (flags.list) return list(flags);
  const agent = requireAgent(id);
  if (flags.scope !== "provision" && flags.scope !== "manage") {
    throw usageError(`--scope: must be provision or manage, not "${flags.scope}"`);
  }
  const file = fileOf(agent);
  // Before a token is made: one that nobody gets to see would be left over.
  const change = flags.write ? withServer(file, agent) : undefined;
  const client = await connect(flags, process.env, { prefer_server: true });
  try {
    const url = await endpointOf(client);
    const token = flags.oauth ? undefined : await newToken(client, agent, flags.scope);
    finish(agent, { url, token }, { file, change, flags });
  } finally {
    await client.close();
  }
}

interface Outcome {
  readonly file: string;
  readonly change: ((connection: Connection) => string) | undefined;
  readonly flags: Flags;
}

function finish(
  agent: CodingAgent,
  connection: Connection,
  { file, change, flags }: Outcome,
): void {
  if (change) write(file, change(connection));
  const snippet = snippetOf(agent, connection);
  if (flags.json) {
    const { url, token } = connection;
    printJson({ agent: agent.id, file, written: change !== undefined, url, token, snippet });
    return;
  }
  if (change) note(`${file} now has the server; ${agent.afterwards}.`);
  else {
    print(snippet);
    note(`Put this into ${file}, beside what is there; then ${agent.afterwards}.`);
  }
  if (connection.token === undefined) note("It will ask for consent in the browser.");
  else note(`The token in it may ${flags.scope}; keep the file to yourself.`);
}

function list({ json }: Flags): void {
  const rows = CODING_AGENTS.map((agent) => ({
    id: agent.id,
    title: agent.title,
    file: fileOf(agent),
  }));
  if (json) return void printJson(rows);
  print(
    table(
      ["AGENT", "NAME", "CONFIGURATION"],
      rows.map((row) => Object.values(row)),
    ),
  );
}

function requireAgent(id: string | undefined): CodingAgent {
  const agent = CODING_AGENTS.find((each) => each.id === id);
  if (agent) return agent;
  const known = CODING_AGENTS.map((each) => each.id).join(", ");
  throw usageError(
    id === undefined
      ? `name a coding agent: ${known}`
      : `there is no coding agent "${id}"; there are ${known}`,
  );
}

/** Where this user's configuration of the coding agent is. */
function fileOf({ file }: CodingAgent): string {
  const { platform } = process;
  const path = platform === "darwin" || platform === "win32" ? file[platform] : file.linux;
  return join(homedir(), path.replace(/^~\//, ""));
}

/** As the server itself says that others reach it. */
async function endpointOf({ place }: Client): Promise<string> {
  if (!isServer(place)) {
    throw usageError(
      `no server runs on ${place}: start one with \`troupe serve\`, or name one with --url`,
    );
  }
  const response = await fetch(new URL("/.well-known/mcp/server-card.json", place));
  if (!response.ok) {
    throw new EngineError("unavailable", `${place} has no MCP server card; is it a troupe server?`);
  }
  const { endpoint } = (await response.json()) as { endpoint: string };
  return new URL(endpoint, place).href;
}

/** Named after the coding agent, so that its entry in the list of tokens tells what it is for. */
async function newToken(client: Client, agent: CodingAgent, scope: string): Promise<string> {
  const taken = new Set((await client.call(listTokens, {})).map(({ name }) => name));
  let name = agent.id;
  for (let number = 2; taken.has(name); number += 1) name = `${agent.id}-${number}`;
  return (await client.call(createToken, { name, scopes: [scope] })).token;
}
