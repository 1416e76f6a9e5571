import { badRequest } from "../../kernel/error.ts";
import { sha256 } from "../../kernel/ids.ts";
import { canonical } from "../../kernel/json.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { requireBounded } from "./bounds.ts";
import type { SchemaRecord } from "./entity-schema.ts";
import { type JsonSchema, placesOf } from "./json-schema.ts";
import { type EntityShape, readShape } from "./shape.ts";
import { createCompiler, type Validate } from "./validator.ts";

/** A schema that entities can be checked by. */
export interface CheckedSchema {
  readonly schema_hash: string;
  readonly shape: EntityShape;
  readonly validate: Validate;
}

/** Checks and compiles entity schemas, each once: what was compiled is kept while it is in use. */
export interface EntitySchemas {
  /** Throws `bad_request` naming what is wrong. */
  check(schema: JsonSchema): CheckedSchema;
  of(record: Pick<SchemaRecord, "schema_json" | "schema_hash">): CheckedSchema;
}

/** Those used longest ago are forgotten. */
const MOST_KEPT = 256;

export function createEntitySchemas(): EntitySchemas {
  const compile = createCompiler();
  const kept = new Map<string, CheckedSchema>();

  const keep = (checked: CheckedSchema): CheckedSchema => {
    const { schema_hash } = checked;
    kept.delete(schema_hash);
    kept.set(schema_hash, checked);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return checked;
  };

  const check = (schema: JsonSchema): CheckedSchema => {
    const places = placesOf(schema);
    const text = canonical(schema);
    if (Buffer.byteLength(text) > LIMITS.graph_schema_bytes) {
      throw badRequest(`schema: is larger than ${LIMITS.graph_schema_bytes} bytes`);
    }
    const schema_hash = sha256(text);
    const known = kept.get(schema_hash);
    if (known) return keep(known);
    requireBounded(places);
    const shape = readShape(schema, places);
    return keep({ schema_hash, shape, validate: compile(schema) });
  };

  return {
    check,
    of({ schema_json, schema_hash }) {
      const known = kept.get(schema_hash);
      return known ? keep(known) : check(schema_json);
    },
  };
}
