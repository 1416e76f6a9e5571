import { clearMemory, deleteMemoryEntry, listMemory } from "#engine/memory/operations.ts";
import {
  createRelation,
  deleteRelation,
  getRelation,
  listRelations,
  replaceRelation,
} from "#engine/relations/operations.ts";
import {
  createSchema,
  deleteSchema,
  getSchema,
  listSchemaAgents,
  listSchemas,
  patchSchema,
  replaceSchema,
} from "#engine/schemas/operations.ts";
import { del, get, patch, post, put, type Route } from "../http/route.ts";

export const schemaRoutes: readonly Route[] = [
  get("/schemas", listSchemas),
  post("/schemas", createSchema, { status: 201 }),
  get("/schemas/:name", getSchema),
  put("/schemas/:name", replaceSchema, { status: 204 }),
  patch("/schemas/:name", patchSchema, { status: 204 }),
  del("/schemas/:name", deleteSchema),
  get("/schemas/:name/agents", listSchemaAgents),
  get("/schemas/:name/agent-relations", listRelations),
  post("/schemas/:name/agent-relations", createRelation, { status: 201 }),
  get("/schemas/:name/agent-relations/:relationId", getRelation),
  put("/schemas/:name/agent-relations/:relationId", replaceRelation, { status: 204 }),
  del("/schemas/:name/agent-relations/:relationId", deleteRelation),
  get("/schemas/:name/memory", listMemory),
  del("/schemas/:name/memory", clearMemory),
  del("/schemas/:name/memory/:entry_id", deleteMemoryEntry, { status: 200 }),
];
