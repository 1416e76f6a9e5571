import {
  createModel,
  deleteModel,
  listModels,
  patchModel,
  replaceModel,
} from "#engine/models/operations.ts";
import { del, get, patch, post, put, type Route } from "../http/route.ts";

export const modelRoutes: readonly Route[] = [
  get("/models", listModels),
  post("/models", createModel, { status: 201 }),
  put("/models/:name", replaceModel),
  patch("/models/:name", patchModel),
  del("/models/:name", deleteModel),
];
