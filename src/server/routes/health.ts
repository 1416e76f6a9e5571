import { getHealth } from "#engine/health/operations.ts";
import { anonymous } from "#engine/kernel/principal.ts";
import { get, type Handler, type Route } from "../http/route.ts";

const answer: Handler = async (_http, _request, engine) => {
  const health = await engine.call(anonymous, getHealth, {});
  return Response.json(health, { status: health.status === "ok" ? 200 : 503 });
};

export const healthRoutes: readonly Route[] = [
  get("/health", getHealth, { handler: answer, is_unlimited: true }),
];
