import { Command } from "commander";
import type { z } from "zod";
import { getAgent, patchAgent } from "#engine/agents/operations.ts";
import { getMcpCatalog } from "#engine/mcp-servers/catalog.ts";
import {
  createMcpServer,
  deleteMcpServer,
  getMcpServer,
  listMcpServers,
  refreshMcpServer,
  testMcpServer,
} from "#engine/mcp-servers/operations.ts";
import type { McpServer } from "#engine/mcp-servers/server.ts";
import { sanitizeLine } from "../chat/sanitize.ts";
import type { Client } from "../client/client.ts";
import type { ConnectFlags } from "../client/connect.ts";
import { type AddFlags, serverFromCatalog, serverOf } from "../mcp/server-of.ts";
import { EXIT, note, print, printJson, type SetExitCode, usageError } from "../output.ts";
import { table } from "../table.ts";
import { clientOptions } from "./options.ts";
import { using } from "./using.ts";

interface Flags extends ConnectFlags {
  readonly json?: boolean;
}

const ADD_HELP = `
Examples:
  troupe mcp add folder -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  troupe mcp add shop https://shop.example/mcp --env SHOP_KEY --token-env SHOP_KEY
  troupe mcp add web --from-catalog brave-search --env BRAVE_API_KEY
Without --agent, agents get its tools with PATCH /agents/NAME {"mcp_servers": ["folder"]}.`;

export function mcpCommand(exit: SetExitCode): Command {
  const command = new Command("mcp").description("MCP servers: tools from elsewhere for agents");
  clientOptions(command.command("add"))
    .description("Add a server: an address, or after -- a program with its arguments")
    .argument("<name>", "what the server is called")
    .argument("[target...]", "its address, or its command and arguments")
    .option("--from-catalog <entry>", "a well-known server; troupe mcp catalog lists them")
    .option("--type <type>", "streamable-http (the default), http, sse or stdio")
    .option("--env <name[=value]>", "a variable it is given, by default from here", collect, [])
    .option("--token-env <name>", "the variable whose value is sent as bearer token")
    .option("--agent <name>", "an agent that gets its tools; repeat for several", collect, [])
    .option("--forward-header <name>", "a header of chat requests to send along", collect, [])
    .addHelpText("after", ADD_HELP)
    .action(add);
  clientOptions(command.command("list")).description("List servers").action(list);
  clientOptions(command.command("catalog"))
    .description("List well-known servers that can be added by name")
    .argument("[words...]", "only those that have all these words")
    .action(catalog);
  clientOptions(command.command("test"))
    .description("Connect to a server and list its tools")
    .argument("<name>", "the server's name")
    .action((name: string, flags: Flags) => test(name, flags, exit));
  clientOptions(command.command("refresh"))
    .description("Have the running server ask for the tools again")
    .argument("<name>", "the server's name")
    .action(refresh);
  clientOptions(command.command("rm"))
    .description("Delete a server; its agents lose its tools")
    .argument("<name>", "the server's name")
    .action(remove);
  return command;
}

const collect = (value: string, sofar: string[]) => [...sofar, value];

interface Add extends Flags, AddFlags {
  readonly fromCatalog?: string;
  readonly agent: readonly string[];
}

async function add(name: string, target: readonly string[], given: Add): Promise<void> {
  const { flags, told } = toldApart(target, given);
  const server = await usingServer(flags, async (client) => {
    const { fromCatalog } = given;
    const input =
      fromCatalog === undefined
        ? serverOf(name, told, given, process.env)
        : serverFromCatalog(name, await entryOf(client, fromCatalog), told, given, process.env);
    // An agent that is not there shows before anything is changed.
    const agents = await Promise.all(
      given.agent.map((one) => client.call(getAgent, { name: one })),
    );
    await client.call(createMcpServer, input);
    for (const { name: agent, mcp_servers = [] } of agents)
      await client.call(patchAgent, { name: agent, mcp_servers: [...mcp_servers, name] });
    return client.call(getMcpServer, { name });
  });
  if (given.json) return void printJson(server);
  note(`MCP server "${name}" is added. See whether it works: troupe mcp test ${name}`);
}

/** --url is the place to work at, as everywhere; where nothing else says what to add, it is that. */
function toldApart(target: readonly string[], { url, ...given }: Add) {
  if (url === undefined || target.length > 0 || given.fromCatalog !== undefined)
    return { flags: { ...given, ...(url !== undefined && { url }) }, told: target };
  return { flags: given, told: [url] };
}

async function entryOf(client: Client, name: string) {
  const { servers } = await client.call(getMcpCatalog, {});
  const entry = servers.find((one) => one.name === name);
  if (entry) return entry;
  const names = servers.map((one) => one.name).join(", ");
  throw usageError(`--from-catalog: there is no "${name}"; there are ${names}`);
}

async function list(flags: Flags): Promise<void> {
  const servers = await usingServer(flags, (client) => client.call(listMcpServers, {}));
  if (flags.json) return void printJson(servers);
  if (servers.length === 0)
    return void note("No MCP servers yet: troupe mcp add NAME -- COMMAND, or see mcp add --help");
  print(table(["NAME", "TYPE", "STATUS", "TOOLS", "AGENTS", "WHERE"], servers.map(toRow)));
  for (const { name, status } of servers)
    if (status.status_message) note(`${name}: ${sanitizeLine(status.status_message)}`);
}

const toRow = (server: z.output<typeof McpServer>): string[] => {
  const { name, type, status, enabled, agents, url, command = "", args = [] } = server;
  const { tools_count } = status;
  const where = url ?? [command, ...args].join(" ");
  const state = enabled ? status.status : "disabled";
  return [name, type, state, String(tools_count), agents.join(","), where];
};

async function catalog(words: readonly string[], flags: Flags): Promise<void> {
  const query = { q: words.join(" ") };
  const { servers } = await usingServer(flags, (client) => client.call(getMcpCatalog, query));
  if (flags.json) return void printJson(servers);
  if (servers.length === 0)
    return void note(`No entry of the catalog has "${query.q}"; without words, all are listed.`);
  const rows = servers.map(({ name, category, packages, description }) => [
    name,
    category,
    packages.map(({ type }) => type).join(","),
    description,
  ]);
  print(table(["NAME", "CATEGORY", "AS", "WHAT IT DOES"], rows));
}

async function test(name: string, flags: Flags, exit: SetExitCode): Promise<void> {
  const result = await usingServer(flags, (client) => client.call(testMcpServer, { name }));
  if (result.connectivity === "error") exit(EXIT.failed);
  if (flags.json) return void printJson(result);
  if (result.error !== null)
    return void note(`MCP server "${name}" fails: ${sanitizeLine(result.error)}`);
  const rows = result.tools.map((tool) => [sanitizeLine(tool.name), firstLine(tool.description)]);
  if (rows.length > 0) print(table(["TOOL", "WHAT IT DOES"], rows));
  note(`MCP server "${name}" works: ${rows.length} tools, ${result.response_time_ms} ms.`);
}

const LINE_CHARACTERS = 100;

/** Of what somebody else wrote, what fits into a line and moves no cursor. */
const firstLine = (text = ""): string => sanitizeLine(text).slice(0, LINE_CHARACTERS);

async function refresh(name: string, flags: Flags): Promise<void> {
  const result = await usingServer(flags, (client) => client.call(refreshMcpServer, { name }));
  if (flags.json) return void printJson(result);
  note(`MCP server "${name}" has ${result.tools_count} tools.`);
}

async function remove(name: string, flags: Flags): Promise<void> {
  await usingServer(flags, (client) => client.call(deleteMcpServer, { name }));
  if (flags.json) return void printJson({ name, deleted: true });
  note(`MCP server "${name}" is deleted.`);
}

/** Where a server runs on the directory, it is asked: only it knows its connections. */
const usingServer = <Result>(flags: Flags, work: (client: Client) => Promise<Result>) =>
  using(flags, work, { prefer_server: true });
