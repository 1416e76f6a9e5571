import {
  createModel,
  deleteModel,
  listModels,
  patchModel,
  replaceModel,
} from "#engine/models/operations.ts";
import { listRegistryModels, listRegistryProviders } from "#engine/models/registry.ts";
import { verifyModel } from "#engine/models/verify.ts";
import { del, get, patch, post, put, type Route } from "../http/route.ts";

export const modelRoutes: readonly Route[] = [
  get("/models", listModels),
  post("/models", createModel, { status: 201 }),
  // Before the routes of one model, which would take "registry" for its name.
  get("/models/registry", listRegistryModels, { is_unlimited: true }),
  get("/models/registry/providers", listRegistryProviders, { is_unlimited: true }),
  post("/models/:name/verify", verifyModel),
  put("/models/:name", replaceModel),
  patch("/models/:name", patchModel),
  del("/models/:name", deleteModel),
];
