import { getAgentLifecycle } from "#engine/agents/lifecycle.ts";
import {
  createAgent,
  deleteAgent,
  getAgent,
  listAgents,
  patchAgent,
  replaceAgent,
} from "#engine/agents/operations.ts";
import {
  createCapability,
  deleteCapability,
  listCapabilities,
  replaceCapability,
} from "#engine/capabilities/operations.ts";
import { del, get, patch, post, put, type Route } from "../http/route.ts";

export const agentRoutes: readonly Route[] = [
  get("/agents", listAgents),
  post("/agents", createAgent, { status: 201 }),
  get("/agents/:name", getAgent),
  put("/agents/:name", replaceAgent),
  patch("/agents/:name", patchAgent),
  del("/agents/:name", deleteAgent),
  get("/agents/:name/lifecycle", getAgentLifecycle),
  get("/agents/:name/capabilities", listCapabilities),
  post("/agents/:name/capabilities", createCapability, { status: 201 }),
  put("/agents/:name/capabilities/:capId", replaceCapability, { status: 204 }),
  del("/agents/:name/capabilities/:capId", deleteCapability),
];
