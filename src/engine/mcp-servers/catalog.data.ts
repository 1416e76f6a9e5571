import type { CatalogEntry } from "./catalog.ts";

type Package = CatalogEntry["packages"][number];
type Variable = NonNullable<Package["env_vars"]>[number];

const secret = (name: string, description: string): Variable => ({
  name,
  description,
  required: true,
  secret: true,
});

const npx = (name: string, env_vars: Variable[] = [], more: string[] = []): Package => ({
  type: "stdio",
  command: "npx",
  args: ["-y", name, ...more],
  ...(env_vars.length > 0 && { env_vars }),
});

const uvx = (name: string, more: string[] = []): Package => ({
  type: "stdio",
  command: "uvx",
  args: [name, ...more],
});

const remote = (url_template: string, env_vars: Variable[] = []): Package => ({
  type: "remote",
  transport: "streamable-http",
  url_template,
  ...(env_vars.length > 0 && { env_vars }),
});

/** Servers that many use. What they offer is asked from them when they are connected. */
export const CATALOG: readonly CatalogEntry[] = [
  {
    name: "brave-search",
    display: "Brave Search",
    description: "Searches the web, news, images and places through Brave's own index.",
    category: "search",
    verified: true,
    packages: [
      npx("@brave/brave-search-mcp-server", [secret("BRAVE_API_KEY", "Brave Search API key")]),
    ],
    provided_tools: [{ name: "brave_web_search", description: "Searches the web" }],
  },
  {
    name: "tavily",
    display: "Tavily",
    description: "Web search, extraction and crawling made for language models.",
    category: "search",
    verified: true,
    packages: [npx("tavily-mcp", [secret("TAVILY_API_KEY", "Tavily API key")])],
  },
  {
    name: "exa",
    display: "Exa",
    description: "Searches the web by meaning and fetches pages as text.",
    category: "search",
    verified: true,
    packages: [
      remote("https://mcp.exa.ai/mcp"),
      npx("exa-mcp-server", [secret("EXA_API_KEY", "Exa API key")]),
    ],
    provided_tools: [{ name: "web_search_exa", description: "Searches the web" }],
  },
  {
    name: "google-sheets",
    display: "Google Sheets",
    description: "Reads and writes spreadsheets with a service account.",
    category: "data",
    verified: false,
    packages: [
      npx("mcp-gsheets", [
        {
          name: "GOOGLE_APPLICATION_CREDENTIALS",
          description: "Path of the service account's key file on the server",
          required: true,
        },
      ]),
    ],
  },
  {
    name: "database",
    display: "SQL database",
    description: "Asks PostgreSQL, MySQL, MariaDB, SQL Server, Oracle and SQLite databases.",
    category: "data",
    verified: true,
    packages: [
      npx("@bytebase/dbhub", [
        secret("DSN", "Connection string, such as postgres://user:password@host/database"),
      ]),
    ],
  },
  {
    name: "mongodb",
    display: "MongoDB",
    description: "Reads collections and runs aggregations.",
    category: "data",
    verified: true,
    packages: [
      npx("mongodb-mcp-server", [secret("MDB_MCP_CONNECTION_STRING", "Connection string")]),
    ],
  },
  {
    name: "memory-graph",
    display: "Memory",
    description: "A knowledge graph in a file, as memory across conversations.",
    category: "data",
    verified: true,
    packages: [
      npx("@modelcontextprotocol/server-memory", [
        { name: "MEMORY_FILE_PATH", description: "Where the graph is kept", required: false },
      ]),
    ],
    provided_tools: [
      { name: "create_entities", description: "Adds entities to the graph" },
      { name: "search_nodes", description: "Searches the graph" },
    ],
  },
  {
    name: "slack",
    display: "Slack",
    description: "Reads and writes channels, threads and direct messages.",
    category: "communication",
    verified: false,
    packages: [
      npx(
        "slack-mcp-server",
        [secret("SLACK_MCP_XOXB_TOKEN", "Bot token")],
        ["--transport", "stdio"],
      ),
    ],
  },
  {
    name: "email",
    display: "Mail (IMAP and SMTP)",
    description: "Reads, searches and sends mail of one account.",
    category: "communication",
    verified: false,
    packages: [
      npx(
        "@codefuturist/email-mcp",
        [secret("MCP_EMAIL_PASSWORD", "Password of the account, or one for this app")],
        ["stdio"],
      ),
    ],
  },
  {
    name: "github",
    display: "GitHub",
    description: "Repositories, issues, pull requests and workflows.",
    category: "dev-tools",
    verified: true,
    packages: [
      remote("https://api.githubcopilot.com/mcp/", [
        secret("GITHUB_PERSONAL_ACCESS_TOKEN", "Sent as bearer token"),
      ]),
      {
        type: "docker",
        image: "ghcr.io/github/github-mcp-server",
        env_vars: [secret("GITHUB_PERSONAL_ACCESS_TOKEN", "Personal access token")],
      },
    ],
  },
  {
    name: "filesystem",
    display: "Files",
    description: "Reads and writes files below the folders given as arguments.",
    category: "dev-tools",
    verified: true,
    packages: [npx("@modelcontextprotocol/server-filesystem", [], ["/path/to/folder"])],
    provided_tools: [
      { name: "read_text_file", description: "Reads a file" },
      { name: "write_file", description: "Writes a file" },
    ],
  },
  {
    name: "git",
    display: "Git",
    description: "Reads and changes a local Git repository.",
    category: "dev-tools",
    verified: true,
    packages: [uvx("mcp-server-git", ["--repository", "/path/to/repository"])],
  },
  {
    name: "playwright",
    display: "Playwright",
    description: "Drives a browser: opens pages, reads them, clicks and types.",
    category: "dev-tools",
    verified: true,
    packages: [npx("@playwright/mcp", [], ["--headless"])],
  },
  {
    name: "context7",
    display: "Context7",
    description: "Current documentation of libraries, by version.",
    category: "dev-tools",
    verified: true,
    packages: [remote("https://mcp.context7.com/mcp"), npx("@upstash/context7-mcp")],
  },
  {
    name: "notion",
    display: "Notion",
    description: "Searches, reads and writes pages and databases.",
    category: "productivity",
    verified: true,
    packages: [npx("@notionhq/notion-mcp-server", [secret("NOTION_TOKEN", "Integration token")])],
  },
  {
    name: "linear",
    display: "Linear",
    description: "Issues, projects and comments of the issue tracker.",
    category: "productivity",
    verified: true,
    packages: [
      remote("https://mcp.linear.app/mcp", [secret("LINEAR_API_KEY", "Sent as bearer token")]),
    ],
  },
  {
    name: "stripe",
    display: "Stripe",
    description: "Customers, payments, invoices and refunds.",
    category: "payments",
    verified: true,
    packages: [
      remote("https://mcp.stripe.com", [secret("STRIPE_SECRET_KEY", "Sent as bearer token")]),
      npx("@stripe/mcp", [secret("STRIPE_SECRET_KEY", "Secret key of the account")]),
    ],
  },
  {
    name: "fetch",
    display: "Fetch",
    description: "Fetches a web page and gives it as Markdown.",
    category: "generic",
    verified: true,
    packages: [uvx("mcp-server-fetch")],
    provided_tools: [{ name: "fetch", description: "Fetches a URL" }],
  },
  {
    name: "webhook",
    display: "Workflow webhook",
    description: "A workflow of an automation service that has an MCP trigger, such as n8n.",
    category: "generic",
    verified: false,
    packages: [
      remote("https://{host}/mcp/{path}", [secret("WEBHOOK_TOKEN", "Sent as bearer token")]),
    ],
  },
];
