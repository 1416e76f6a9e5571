import { z } from "zod";
import { badRequest } from "#engine/kernel/error.ts";
import { isUuid } from "#engine/kernel/fields.ts";
import { isObject } from "#engine/kernel/json.ts";
import type { Operation } from "#engine/operation.ts";
import { listSchemas } from "#engine/schemas/operations.ts";

/** What a caller must hold: `provision` reads, creates and changes, `manage` also destroys. */
export type Authority = "provision" | "manage";

/** What a tool may use while it works out what its operation gets. */
export interface ToolContext {
  /** Calls an operation with the authority of this tool. */
  call<Input, Output>(operation: Operation<Input, Output>, input: Input): Promise<Output>;
  /** Where callers reach this server; undefined when it can't know. */
  readonly base_url: string | undefined;
}

type Fields = Record<string, unknown>;

// biome-ignore lint/suspicious/noExplicitAny: a table holds operations of every input and output
type AnyOperation = Operation<any, any>;

/** One row of the tool table: everything MCP knows of an operation. */
export interface McpTool {
  readonly name: string;
  /** What it takes to see it, and to call it unless the arguments ask for more. */
  readonly authority: Authority;
  authorityFor?(given: Fields): Authority;
  readonly operation: AnyOperation;
  /** For people and models; the operation's summary unless the tool needs more said. */
  readonly description: string;
  readonly input: z.ZodObject;
  /** What the operation gets; the same fields unless they differ. */
  toInput(given: Fields, context: ToolContext): Fields | Promise<Fields>;
  /** What the caller gets: an object, as structured results are objects (MCP). */
  toStructured(output: unknown, given: Fields): Fields;
  toText(structured: Fields, output: unknown): string;
}

type Options = Partial<Omit<McpTool, "name" | "operation" | "input">>;

/** A tool of this operation. What destroys needs `manage` (specification 4 MCP servers). */
export function tool(
  name: string,
  operation: AnyOperation,
  input: z.ZodObject,
  options: Options = {},
): McpTool {
  return {
    name,
    operation,
    input,
    authority: operation.effect === "destroy" ? "manage" : "provision",
    description: operation.summary,
    toInput: (given) => given,
    toStructured: (output) => (isObject(output) ? output : { done: true }),
    toText: (structured, output) =>
      output === undefined ? "Done." : JSON.stringify(structured, undefined, 2),
    ...options,
  };
}

/** A tool that lists: its answer is `{[key]: items}`, and one line of text an item. */
export const listTool = <Item>(
  name: string,
  operation: Operation<never, Item[]>,
  key: string,
  line: (item: Item) => string,
  options: Options & { readonly input?: z.ZodObject } = {},
): McpTool =>
  tool(name, operation, options.input ?? z.object({}), {
    toStructured: (output) => ({ [key]: output }),
    toText: (_structured, output) => linesOf((output as Item[]).map(line), key),
    ...options,
  });

export const linesOf = (lines: readonly string[], what: string): string =>
  lines.length === 0
    ? `No ${what.replaceAll("_", " ")} yet.`
    : lines.map((line) => `- ${line}`).join("\n");

/** A tool's own names for its operation's fields. */
export const renamed =
  (names: Readonly<Record<string, string>>) =>
  (given: Fields): Fields =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [names[name] ?? name, value]));

export const SchemaReference = z.string().min(1).describe("The schema's id or name");

/** Operations name schemas; tools also take their ids. Throws `bad_request`. */
export async function schemaName(reference: unknown, { call }: ToolContext): Promise<string> {
  const text = String(reference);
  if (!isUuid(text)) return text;
  const found = (await call(listSchemas, {})).find(({ id }) => id === text.toLowerCase());
  if (!found) throw badRequest(`schema_id: there is no schema "${text}"`);
  return found.name;
}

/** Throws `bad_request` naming the field. */
export function parseConfig(text: unknown): unknown {
  if (text === undefined || text === "") return undefined;
  try {
    return JSON.parse(String(text));
  } catch (cause) {
    throw badRequest("config_json: is not valid JSON", { cause });
  }
}
