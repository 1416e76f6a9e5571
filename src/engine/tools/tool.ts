import type { z } from "zod";
import type { Context } from "../context.ts";
import type { Citation, CitationRegister } from "../knowledge/citation.ts";
import type { TaskChanges } from "../tasks/worker.ts";
import type { StructuredOutput } from "./structured-output.ts";

/** How much harm a call can do (contract 2.21). */
export type SecurityZone = "safe" | "caution" | "dangerous";

export interface ToolResult {
  readonly content: string;
  readonly is_error?: true | undefined;
  /** Written by somebody else: the model is told not to take it for orders. */
  readonly is_untrusted?: true | undefined;
  /** The passages that `content` gives by number. */
  readonly citations?: readonly Citation[] | undefined;
}

/** What a call comes to: a result, a question to a person, or an open end in a sub-agent. */
export type ToolOutcome =
  | ToolResult
  | { readonly interrupt: (interrupt_id: string) => StructuredOutput }
  | { readonly is_waiting: true };

/** Where a call happens: what a tool may know of its turn, and the store it may use. */
export interface ToolContext extends Pick<Context, "read" | "write" | "now" | "newId"> {
  readonly session_id: string;
  readonly schema_id: string;
  readonly user_sub: string;
  readonly agent_id: string;
  readonly call_id: string;
  readonly tasks: TaskChanges;
  /** Gives passages the numbers by which an answer names them. */
  readonly cite: CitationRegister["cite"];
  /** Aborts when the turn is stopped or the call takes too long. */
  readonly signal: AbortSignal;
}

/** Something an agent can do. A failure is a result that the model reads, not an exception. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly security_zone: SecurityZone;
  readonly risk_warning?: string;
  readonly input: z.ZodType;
  /** The arguments' JSON Schema as providers are told it, where it does not follow from `input`. */
  readonly input_schema?: Readonly<Record<string, unknown>>;
  /** Other names for the same tool: in calls, where no other tool has them, and in lists of approvals. */
  readonly also_known_as?: readonly string[];
  /** `safe`: read-only or idempotent, so a call whose outcome was lost may be repeated (decision 9). */
  readonly retry: "safe" | "never";
  /** A person is asked before each call, whichever agent makes it. */
  readonly needs_approval?: boolean;
  /** A call that takes longer is abandoned; 0 for one that has the whole turn. */
  readonly timeout_ms?: number;
  /** Mends what models often get wrong, before the arguments are checked. */
  decode?(input: unknown): unknown;
  /** The names of the tool that a call with these arguments amounts to, when it is another way to one. */
  actsAs?(input: unknown): readonly string[];
  /** What the tool is like at this moment, where that can change: an approval holds for one likeness. */
  digest?(): string;
  execute(input: unknown, ctx: ToolContext): Promise<ToolOutcome>;
}

interface Definition<Input extends z.ZodType> extends Omit<Tool, "input" | "execute" | "actsAs"> {
  readonly input: Input;
  actsAs?(input: z.output<Input>): readonly string[];
  execute(input: z.output<Input>, ctx: ToolContext): Promise<ToolOutcome>;
}

/** What a call may take unless its tool knows better. */
export const TOOL_TIMEOUT_MS = 60_000;

export const defineTool = <Input extends z.ZodType>(definition: Definition<Input>): Tool =>
  definition as unknown as Tool;

/** An error in the form the model is told to expect. */
export const errorResult = (message: string): ToolResult => ({
  content: `[ERROR] ${message}`,
  is_error: true,
});
