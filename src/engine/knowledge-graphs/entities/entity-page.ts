import { badRequest } from "../../kernel/error.ts";
import { LIMITS } from "../../kernel/limits.ts";
import type { Reads } from "../../store.ts";
import type { SchemaRecord } from "../schemas/entity-schema.ts";
import type { EntitySchemas } from "../schemas/entity-schemas.ts";
import type { EntityRecord } from "./entity.ts";
import { type AskedFilter, type AskedSort, toConditions, toSort } from "./filters.ts";

export interface AskedPage {
  readonly filters: readonly AskedFilter[];
  readonly sort: readonly AskedSort[];
  readonly limit: number;
  readonly offset: number;
}

/** Throws `bad_request` naming the field, and `timeout` when it takes too long. */
export function findEntities(
  { graph_entities }: Pick<Reads, "graph_entities">,
  schemas: EntitySchemas,
  type: SchemaRecord,
  { filters, sort, limit, offset }: AskedPage,
): Promise<{ entities: EntityRecord[]; total: number }> {
  const { shape } = schemas.of(type);
  if (filters.length + sort.length > LIMITS.graph_query_clauses) {
    throw badRequest(
      `a query takes at most ${LIMITS.graph_query_clauses} filters and sort fields together`,
    );
  }
  const conditions = toConditions(shape, filters);
  const query = { conditions, sort: toSort(shape, sort), limit, offset };
  return graph_entities.find(type, query);
}
