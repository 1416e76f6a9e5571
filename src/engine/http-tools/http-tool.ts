import { z } from "zod";
import { LIMITS } from "../kernel/limits.ts";

/** What providers take as a tool's name. */
export const HttpToolName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, "must be letters, digits, _ and -, at most 64");

const Text = z.string().max(LIMITS.http_tool_text_characters);

/** Hop by hop, or the connection's own: what a declaration can't choose. */
const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "must be the name of a header")
  .refine(
    (name) =>
      !/^(connection|host|content-length|keep-alive|te|trailer|transfer-encoding|upgrade|expect|proxy-.*)$/i.test(
        name,
      ),
    "is a header of the connection, which can't be declared",
  );

const Parameter = z.object({
  name: z.string().regex(/^[A-Za-z_][\w-]{0,63}$/, "must be letters, digits, _ and -"),
  type: z.enum(["string", "number", "integer", "boolean", "array", "object"]).optional(),
  description: Text.optional(),
  required: z.boolean().optional(),
});

/** Who the service says it is: its secrets are sealed, and never shown again. */
const Auth = z.discriminatedUnion("type", [
  z.object({ type: z.literal("bearer"), token: Text.min(1) }),
  z.object({ type: z.literal("basic"), username: Text, password: Text }),
  z.object({ type: z.literal("header"), name: HeaderName, value: Text.min(1) }),
]);

/**
 * One HTTP request as a tool (contract 4.16): `${NAME}` stands for a variable, `{{name}}` for what the
 * model gives.
 */
export const HttpToolDefinition = z.object({
  description: Text.optional(),
  type: z.literal("http").optional(),
  method: z
    .string()
    .overwrite((text) => text.toUpperCase())
    .pipe(z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]))
    .optional(),
  url: Text.min(1),
  params: z.array(Parameter).max(LIMITS.http_tool_parameters).optional(),
  query: z.record(z.string(), Text).optional(),
  headers: z.record(HeaderName, Text).optional(),
  body: z.unknown().optional(),
  auth: Auth.optional(),
  /** A person is asked before each call. */
  confirmation_required: z.boolean().optional(),
  /** Seconds. */
  timeout: z.int().min(1).max(LIMITS.http_tool_timeout_s.max).optional(),
  /** Sending it twice comes to the same: it may be repeated when its outcome was lost. */
  idempotent: z.boolean().optional(),
  /** The host has a public name and a private address. */
  allow_private_address: z.boolean().optional(),
});
export type HttpToolDefinition = z.output<typeof HttpToolDefinition>;
export type HttpToolParameter = z.output<typeof Parameter>;

export interface HttpToolRecord {
  readonly id: string;
  readonly name: string;
  /** As it was written, with its variables' names. */
  readonly definition: HttpToolDefinition;
  /** What the variables stand for, each value sealed. */
  readonly sealed_variables: Record<string, string>;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface HttpToolReads {
  /** Oldest first. */
  list(): Promise<HttpToolRecord[]>;
  getByName(name: string): Promise<HttpToolRecord | undefined>;
}

export interface HttpToolWrites extends HttpToolReads {
  insert(tool: HttpToolRecord): Promise<void>;
  update(id: string, fields: Partial<HttpToolRecord>): Promise<void>;
  delete(id: string): Promise<void>;
}
