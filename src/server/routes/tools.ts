import { listToolCalls } from "#engine/tool-calls/operations.ts";
import { listToolMetadata } from "#engine/tools/operations.ts";
import { get, type Route } from "../http/route.ts";

export const toolRoutes: readonly Route[] = [
  get("/tools/metadata", listToolMetadata),
  get("/audit/tool-calls", listToolCalls),
];
