import type { ChatExtras } from "#engine/runtime/chat.ts";
import { collect } from "#engine/runtime/collect.ts";
import { chat } from "#engine/runtime/operations.ts";
import { type Handler, type HttpContext, post, type Route } from "../http/route.ts";
import { sseResponse } from "../http/sse.ts";

/** Every refusal is thrown before the first byte of a stream. */
const answerChat: Handler = async (http, { principal, input }, engine) => {
  const turn = await engine.chat(principal, input, extrasOf(http));
  const headers = {
    "X-Session-Id": turn.session_id,
    "X-Turn-Id": turn.turn_id,
    "X-Resume-Id": String(turn.resume_id),
  };
  if (input.stream === false) return Response.json(await collect(turn), { headers });
  return sseResponse(http, turn, { until_last: true, headers });
};

/** What a chat request says in headers; of the two names that editions give one, the newer wins. */
function extrasOf({ req }: HttpContext): ChatExtras {
  const own_model = {
    provider: req.header("X-Model-Provider") ?? req.header("X-BYOK-Provider"),
    api_key: req.header("X-Model-API-Key") ?? req.header("X-BYOK-API-Key"),
    model: req.header("X-Model-Name") ?? req.header("X-BYOK-Model"),
    base_url: req.header("X-BYOK-Base-URL"),
  };
  const overrides = Object.values(own_model).some((value) => value !== undefined);
  const idempotency_key = req.header("Idempotency-Key");
  return { idempotency_key, headers: req.header(), ...(overrides ? { own_model } : {}) };
}

export const chatRoutes: readonly Route[] = [
  post("/schemas/:name/chat", chat, {
    handler: answerChat,
    content_type: "text/event-stream",
    also_refuses: [402],
  }),
];
