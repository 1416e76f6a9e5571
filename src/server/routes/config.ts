import {
  applyConfig,
  configSchema,
  exportConfig,
  importConfig,
  planConfig,
  reloadConfig,
} from "#engine/config/operations.ts";
import { LIMITS } from "#engine/kernel/limits.ts";
import { get, type Handler, post, type Route, YAML } from "../http/route.ts";

const answerExport: Handler = async (_http, { principal }, engine) => {
  const text = await engine.call(principal, exportConfig, {});
  const day = new Date().toISOString().slice(0, 10);
  const headers = {
    "Content-Type": `${YAML}; charset=utf-8`,
    "Content-Disposition": `attachment; filename="troupe-${day}.yaml"`,
  };
  return new Response(text, { headers });
};

/** JSON writes a text longer than it is. */
const body_bytes = 2 * LIMITS.config_document_bytes;

export const configRoutes: readonly Route[] = [
  get("/config/export", exportConfig, { handler: answerExport, content_type: YAML }),
  get("/config/schema", configSchema, { is_unlimited: true }),
  post("/config/import", importConfig, {
    takes_text: YAML,
    body_bytes: LIMITS.config_import_bytes,
    also_refuses: [409],
  }),
  post("/config/plan", planConfig, { body_bytes }),
  post("/config/apply", applyConfig, { body_bytes, also_refuses: [409] }),
  post("/config/reload", reloadConfig),
];
