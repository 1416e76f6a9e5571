import { z } from "zod";
import type { Door } from "./audit/audit.ts";
import { audited } from "./audit/record.ts";
import type { Context } from "./context.ts";
import { EngineError } from "./kernel/error.ts";
import { eachInTurn } from "./kernel/give-way.ts";
import { type Guard, requireGuard } from "./kernel/principal.ts";

/** What an operation does to the world: drives audit, MCP authority and hints. */
export type Effect = "read" | "write" | "destroy";

/** One thing the service can do. REST routes, MCP tools and commands are thin doors to these. */
export interface Operation<Input = unknown, Output = unknown> {
  /** `feature.verb`, the same in every layer. */
  readonly name: string;
  readonly summary: string;
  readonly scope: Guard;
  readonly effect: Effect;
  readonly input: z.ZodType;
  /** Also strips: a field that is not named here cannot leave. */
  readonly output: z.ZodType;
  run(ctx: Context, input: Input): Promise<Output>;
}

interface Definition<In extends z.ZodType, Out extends z.ZodType> {
  readonly name: string;
  readonly summary: string;
  readonly scope: Guard;
  readonly effect: Effect;
  readonly input: In;
  readonly output: Out;
  run(ctx: Context, input: z.output<In>): Promise<z.input<Out>>;
}

/** What a caller gives and gets; between them stand validation and stripping. */
export type DefinedOperation<In extends z.ZodType, Out extends z.ZodType> = Operation<
  z.input<In>,
  z.output<Out>
>;

export const defineOperation = <In extends z.ZodType, Out extends z.ZodType>(
  definition: Definition<In, Out>,
): DefinedOperation<In, Out> => definition as unknown as DefinedOperation<In, Out>;

/** Guard, validate, run, strip: the only way an operation is called. A change is recorded (`audit`). */
export async function invoke<Input, Output>(
  ctx: Context,
  operation: Operation<Input, Output>,
  input: unknown,
  door?: Door,
): Promise<Output> {
  requireGuard(ctx.principal, operation.scope);
  const place = operation.effect === "read" ? ctx : audited(ctx, operation, door);
  const output = await operation.run(place, parseInput(operation.input, input) as Input);
  return (await strip(operation.output, output)) as Output;
}

const LONG_LIST = 100;

/** The entries of a long list are taken in turn: a history must not hold up every open stream. */
async function strip(schema: z.ZodType, output: unknown): Promise<unknown> {
  if (schema instanceof z.ZodArray && isLong(output)) {
    const element = schema.element as z.ZodType;
    return eachInTurn(output, (item) => element.parse(item));
  }
  if (!(schema instanceof z.ZodObject)) return schema.parse(output);
  const fields = Object.entries((output ?? {}) as Record<string, unknown>);
  const lists = fields.filter(
    ([key, value]) => schema.shape[key] instanceof z.ZodArray && isLong(value),
  );
  if (lists.length === 0) return schema.parse(output);
  const shortened = lists.map(([key, list]) => [key, (list as unknown[]).slice(0, 1)]);
  const parsed = schema.parse({ ...(output as object), ...Object.fromEntries(shortened) });
  for (const [key, list] of lists) parsed[key] = await strip(schema.shape[key], list);
  return parsed;
}

const isLong = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > LONG_LIST;

/** Throws `bad_request` that names each offending field. */
export function parseInput(schema: z.ZodType, input: unknown): unknown {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const details = result.error.issues.map(describeIssue);
  throw new EngineError("bad_request", details.join("; "), { details });
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const field = issue.path
    .map(String)
    .join(".")
    .replace(/^rename$/, "name");
  const problem = issue.message.endsWith("received undefined") ? "is required" : issue.message;
  return field === "" ? problem : `${field}: ${problem}`;
}
