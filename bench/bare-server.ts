/** The least that can answer: Hono on the same runtime. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const app = new Hono();
app.get("/health", (http) => http.text("ok"));
serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: "127.0.0.1" });
