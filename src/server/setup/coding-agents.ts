/** How a coding agent reaches `/mcp/rpc`. */
export interface Connection {
  readonly url: string;
  /** Absent for a coding agent that asks for consent in the browser. */
  readonly token: string | undefined;
}

/** Where a user keeps a coding agent's configuration; `~` is their home. */
interface ConfigFile {
  readonly linux: string;
  readonly darwin: string;
  readonly win32: string;
}

/** What to put into a coding agent's configuration, and where. */
export interface CodingAgent {
  readonly id: string;
  readonly title: string;
  readonly file: ConfigFile;
  /** Below which key of a JSON file the servers are, or undefined for a TOML file. */
  readonly json_key: string | undefined;
  /** The server's entry: an object below that key, or the lines of a table. */
  entry(connection: Connection): object | string;
  readonly afterwards: string;
}

/** What the server is called in a coding agent's configuration. */
export const SERVER_NAME = "troupe";

const everywhere = (path: string): ConfigFile => ({ linux: path, darwin: path, win32: path });

const bearer = ({ token }: Connection) =>
  token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } };

/** The common coding agents, in the order of the alphabet. */
export const CODING_AGENTS: readonly CodingAgent[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    file: everywhere("~/.claude.json"),
    json_key: "mcpServers",
    entry: (to) => ({ type: "http", url: to.url, ...bearer(to) }),
    afterwards: "start claude anew, then /mcp shows the connection",
  },
  {
    id: "codex",
    title: "Codex",
    file: everywhere("~/.codex/config.toml"),
    json_key: undefined,
    entry: ({ url, token }) =>
      [
        `[mcp_servers.${SERVER_NAME}]`,
        `url = ${JSON.stringify(url)}`,
        ...(token === undefined
          ? []
          : [`http_headers = { Authorization = ${JSON.stringify(`Bearer ${token}`)} }`]),
      ].join("\n"),
    afterwards: "start codex anew, then /mcp shows the connection",
  },
  {
    id: "cursor",
    title: "Cursor",
    file: everywhere("~/.cursor/mcp.json"),
    json_key: "mcpServers",
    entry: (to) => ({ url: to.url, ...bearer(to) }),
    afterwards: "reload the window; Settings > MCP shows the connection",
  },
  {
    id: "gemini",
    title: "Gemini CLI",
    file: everywhere("~/.gemini/settings.json"),
    json_key: "mcpServers",
    entry: (to) => ({ httpUrl: to.url, ...bearer(to) }),
    afterwards: "start gemini anew, then /mcp shows the connection",
  },
  {
    id: "opencode",
    title: "opencode",
    file: everywhere("~/.config/opencode/opencode.json"),
    json_key: "mcp",
    entry: (to) => ({ type: "remote", url: to.url, enabled: true, ...bearer(to) }),
    afterwards: "start opencode anew; `opencode mcp list` shows the connection",
  },
  {
    id: "vscode",
    title: "VS Code",
    file: {
      linux: "~/.config/Code/User/mcp.json",
      darwin: "~/Library/Application Support/Code/User/mcp.json",
      win32: "~/AppData/Roaming/Code/User/mcp.json",
    },
    json_key: "servers",
    entry: (to) => ({ type: "http", url: to.url, ...bearer(to) }),
    afterwards: "MCP: List Servers in the command palette starts it",
  },
];

/** The whole of a configuration file that holds nothing else. */
export function snippetOf(agent: CodingAgent, connection: Connection): string {
  const entry = agent.entry(connection);
  if (typeof entry === "string" || agent.json_key === undefined) return String(entry);
  return JSON.stringify({ [agent.json_key]: { [SERVER_NAME]: entry } }, undefined, 2);
}
