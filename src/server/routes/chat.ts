import { collect } from "#engine/runtime/collect.ts";
import { chat } from "#engine/runtime/operations.ts";
import { type Handler, post, type Route } from "../http/route.ts";
import { sseResponse } from "../http/sse.ts";

/** Every refusal is thrown before the first byte of a stream. */
const answerChat: Handler = async (_http, { principal, input }, engine) => {
  const turn = await engine.chat(principal, input);
  const headers = { "X-Session-Id": turn.session_id, "X-Resume-Id": String(turn.resume_id) };
  if (input.stream === false) return Response.json(await collect(turn), { headers });
  return sseResponse(turn.follow, { until_last: true, headers });
};

export const chatRoutes: readonly Route[] = [
  post("/schemas/:name/chat", chat, { handler: answerChat, content_type: "text/event-stream" }),
];
