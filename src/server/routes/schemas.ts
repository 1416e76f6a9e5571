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
];
