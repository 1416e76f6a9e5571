import type { Hono } from "hono";
import type { Engine } from "#engine/engine.ts";
import { EngineError } from "#engine/kernel/error.ts";
import { requireGuard } from "#engine/kernel/principal.ts";
import { readInput } from "./input.ts";
import { admit } from "./limits.ts";
import type { HttpContext, RequestState, Route } from "./route.ts";

export type App = Hono<RequestState>;

/** Answers with an error. */
export type Refuse = (http: HttpContext, error: EngineError) => Response;

/** Serves a route table; every other method of its paths is refused with the ones that exist. */
export function mount(
  app: App,
  base: string,
  routes: readonly Route[],
  { engine, refuse }: { engine: Engine; refuse: Refuse },
): void {
  for (const route of routes) {
    app.on(route.method, base + route.path, (http) => {
      http.set("route", base + route.path);
      http.set("speaks_oauth", route.speaks_oauth);
      return answer(http, route, engine);
    });
  }
  for (const [path, methods] of methodsByPath(routes)) {
    refuseOtherMethods(app, base + path, methods, refuse);
  }
}

/** After the routes of this path: what comes by another method learns which there are. */
export function refuseOtherMethods(
  app: App,
  path: string,
  methods: readonly string[],
  refuse: Refuse,
): void {
  app.all(path, (http) => {
    http.set("route", path);
    const error = new EngineError("method_not_allowed", `use ${methods.join(" or ")} here`);
    const response = refuse(http, error);
    response.headers.set("Allow", methods.join(", "));
    return response;
  });
}

async function answer(http: HttpContext, route: Route, engine: Engine): Promise<Response> {
  // The guard comes before the body, so that a stranger learns nothing from validation messages.
  const principal = await engine.authenticate(http.req.header("Authorization"));
  if (!route.is_unlimited) admit(http, principal, engine);
  requireGuard(principal, route.operation.scope);
  const input = await readInput(http, route);
  if (route.handler) return route.handler(http, { principal, input }, engine);
  const output = await engine.call(principal, route.operation, input, doorOf(http, route));
  if (route.status === 204 || output === undefined)
    return new Response(null, { status: route.status });
  return Response.json(output, { status: route.status });
}

/** What the audit log tells of a request. */
const doorOf = (http: HttpContext, { method, status }: Pick<Route, "method" | "status">) => ({
  resource: `${method} ${http.req.path}`,
  details: { method, path: http.req.path, status_code: status, request_id: http.get("request_id") },
});

function methodsByPath(routes: readonly Route[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes) methods.set(path, [...(methods.get(path) ?? []), method]);
  return methods;
}
