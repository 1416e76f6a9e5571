import { getWidgetConfig } from "#engine/widget/operations.ts";
import { get, type Handler, type Route } from "../http/route.ts";

const answer: Handler = async (_http, { principal, input }, engine) =>
  Response.json(await engine.call(principal, getWidgetConfig, input), {
    headers: { "Cache-Control": "private, max-age=300" },
  });

export const widgetRoutes: readonly Route[] = [
  get("/widget-config", getWidgetConfig, { handler: answer }),
];
