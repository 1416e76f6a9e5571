import { LIMITS } from "#engine/kernel/limits.ts";
import { deleteGraph, getGraph, listGraphs } from "#engine/knowledge-graphs/bundles/operations.ts";
import { importGraph } from "#engine/knowledge-graphs/bundles/transfer-operations.ts";
import {
  createEntity,
  deleteEntity,
  getEntities,
  getEntity,
  listEntities,
  replaceEntity,
} from "#engine/knowledge-graphs/entities/operations.ts";
import {
  getEntitySchema,
  listEntitySchemas,
  putEntitySchema,
} from "#engine/knowledge-graphs/schemas/operations.ts";
import { del, get, post, put, type Route } from "../http/route.ts";

const GRAPH = "/knowledge-graphs/:bundle";
const TYPE = `${GRAPH}/entities/:entity_type`;
/** An entity's body is the entity itself. */
const ENTITY = { body_field: "data" };
const BUNDLE = {
  body_bytes: LIMITS.graph_import_bytes,
  oversize_code: "payload_too_large",
} as const;

export const knowledgeGraphRoutes: readonly Route[] = [
  get("/knowledge-graphs", listGraphs),
  get(GRAPH, getGraph),
  del(GRAPH, deleteGraph),
  post(`${GRAPH}/import`, importGraph, BUNDLE),
  get(`${GRAPH}/schemas`, listEntitySchemas),
  get(`${GRAPH}/schemas/:entity_type`, getEntitySchema),
  put(`${GRAPH}/schemas/:entity_type`, putEntitySchema),
  get(TYPE, listEntities),
  post(TYPE, createEntity, { ...ENTITY, status: 201 }),
  post(`${TYPE}/batch-get`, getEntities),
  get(`${TYPE}/:id`, getEntity),
  put(`${TYPE}/:id`, replaceEntity, ENTITY),
  del(`${TYPE}/:id`, deleteEntity, { status: 200 }),
];
