import { z } from "zod";
import { defineOperation } from "../operation.ts";
import { CATALOG } from "./catalog.data.ts";

const Category = z.enum([
  "search",
  "data",
  "communication",
  "dev-tools",
  "productivity",
  "payments",
  "generic",
]);

/** One way to get a server: a program, an address, or a container image. */
const Package = z.object({
  type: z.enum(["stdio", "remote", "docker"]),
  transport: z.string().optional(),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  image: z.string().optional(),
  url_template: z.string().optional(),
  env_vars: z
    .array(
      z.object({
        name: z.string(),
        description: z.string().optional(),
        required: z.boolean(),
        secret: z.boolean().optional(),
      }),
    )
    .optional(),
});

/** A well-known server, with what it takes to use it (contract 2.16). */
export const CatalogEntry = z.object({
  name: z.string(),
  display: z.string(),
  description: z.string(),
  category: Category,
  /** Published by those whose service it is, or by the protocol's own project. */
  verified: z.boolean(),
  packages: z.array(Package),
  provided_tools: z.array(z.object({ name: z.string(), description: z.string() })).optional(),
});
export type CatalogEntry = z.infer<typeof CatalogEntry>;

const VERSION = "1.0";

export const getMcpCatalog = defineOperation({
  name: "mcp_servers.catalog",
  summary: "List well-known MCP servers, with what it takes to use them",
  scope: "authenticated",
  effect: "read",
  input: z.object({ category: z.string().optional(), q: z.string().optional() }),
  output: z.object({ version: z.string(), servers: z.array(CatalogEntry) }),
  run: async (_ctx, query) => ({ version: VERSION, servers: CATALOG.filter(matches(query)) }),
});

/** A search for words wins over the category (contract 4.9). */
function matches({ category, q }: { category?: string | undefined; q?: string | undefined }) {
  const words = q?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
  return (entry: CatalogEntry): boolean => {
    if (words.length === 0) return !category || entry.category === category;
    const text = `${entry.name} ${entry.display} ${entry.description} ${entry.category}`;
    return words.every((word) => text.toLowerCase().includes(word));
  };
}
