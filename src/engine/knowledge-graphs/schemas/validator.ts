import type { ErrorObject, FuncKeywordDefinition } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "zod";
import { badRequest } from "../../kernel/error.ts";
import { canonical } from "../../kernel/json.ts";
import type { JsonSchema } from "./json-schema.ts";
import { compilePattern } from "./pattern.ts";

/** What is wrong with an entity, naming the place; undefined when nothing is. */
export type Validate = (data: unknown) => string | undefined;

const isDate = (text: string): boolean => z.iso.date().safeParse(text).success;
const isDateTime = (text: string): boolean =>
  z.iso.datetime({ offset: true }).safeParse(text).success;

/** Annotations are not the validator's business; of formats, only those that entities are sorted by are. */
const OPTIONS = {
  strict: false,
  logger: false,
  // A property may be called as something that every object inherits.
  ownProperties: true,
  formats: { date: isDate, "date-time": isDateTime },
  code: { regExp: Object.assign(compilePattern, { code: "compilePattern" }) },
} as const;

/** The validator's own compares each item with each other, and with each value, one by one. */
const LINEAR: readonly FuncKeywordDefinition[] = [
  {
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    compile: (unique: boolean) => (items: unknown[]) =>
      !unique || new Set(items.map(canonical)).size === items.length,
    error: { message: "must not have the same item twice" },
  },
  {
    keyword: "enum",
    schemaType: "array",
    compile(values: unknown[]) {
      const known = new Set(values.map(canonical));
      return (value: unknown) => known.has(canonical(value));
    },
    error: { message: "must be one of the values of the enum" },
  },
];

/**
 * Makes validators of JSON Schemas (draft 2020-12) that are bounded already. Each has an instance of its
 * own, since an instance keeps what it once compiled. Throws `bad_request` for what is no JSON Schema.
 */
export function createCompiler(): (schema: JsonSchema) => Validate {
  let meta: Ajv2020 | undefined;
  return (schema) => {
    meta ??= new Ajv2020({ strict: false, logger: false });
    if (!meta.validateSchema(withoutDialect(schema))) {
      throw badRequest(`schema: is no JSON Schema: ${describe(meta.errors, "schema")}`);
    }
    const ajv = new Ajv2020({ ...OPTIONS, meta: false, validateSchema: false });
    for (const keyword of LINEAR) {
      ajv.removeKeyword(String(keyword.keyword));
      ajv.addKeyword(keyword);
    }
    const validate = compile(ajv, schema);
    return (data) => (validate(data) ? undefined : describe(validate.errors, "entity"));
  };
}

function compile(ajv: Ajv2020, schema: JsonSchema) {
  try {
    return ajv.compile(withoutDialect(schema));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw badRequest(`schema: ${reason}`, { cause });
  }
}

/** There is only one dialect; naming it would have it looked up. */
const withoutDialect = ({ $schema, ...schema }: JsonSchema): JsonSchema => schema;

function describe(errors: readonly ErrorObject[] | null | undefined, whole: string): string {
  const [error] = errors ?? [];
  if (!error) return `${whole} is invalid`;
  const { instancePath, message = "is invalid", keyword, params } = error;
  const place = instancePath === "" ? whole : instancePath.slice(1).replaceAll("/", ".");
  const named = keyword === "additionalProperties" ? `: ${String(params.additionalProperty)}` : "";
  return `${place}: ${message}${named}`;
}
