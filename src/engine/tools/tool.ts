import type { z } from "zod";

/** How much harm a call can do (contract 2.21). */
export type SecurityZone = "safe" | "caution" | "dangerous";

export interface ToolResult {
  readonly content: string;
  readonly is_error?: true | undefined;
}

/** Where a call happens: what a tool may know of its turn. */
export interface ToolContext {
  readonly session_id: string;
  readonly turn_id: string;
  readonly now: () => Date;
  /** Aborts when the turn is stopped or the call takes too long. */
  readonly signal: AbortSignal;
}

/** Something an agent can do. A failure is a result that the model reads, not an exception. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly security_zone: SecurityZone;
  readonly input: z.ZodType;
  /** `safe`: read-only or idempotent, so a call whose outcome was lost may be repeated (decision 9). */
  readonly retry: "safe" | "never";
  execute(input: unknown, ctx: ToolContext): Promise<ToolResult>;
}

interface Definition<Input extends z.ZodType> extends Omit<Tool, "input" | "execute"> {
  readonly input: Input;
  execute(input: z.output<Input>, ctx: ToolContext): Promise<ToolResult>;
}

export const defineTool = <Input extends z.ZodType>(definition: Definition<Input>): Tool =>
  definition as unknown as Tool;

/** An error in the form the model is told to expect. */
export const errorResult = (message: string): ToolResult => ({
  content: `[ERROR] ${message}`,
  is_error: true,
});
