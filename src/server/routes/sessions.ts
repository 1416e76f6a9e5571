import { followSession } from "#engine/sessions/follow.ts";
import {
  cancelTurn,
  createSession,
  deleteSession,
  getSession,
  listMessages,
  listSessions,
  updateSession,
} from "#engine/sessions/operations.ts";
import { respondToCall } from "#engine/sessions/respond.ts";
import { del, get, type Handler, post, put, type Route } from "../http/route.ts";
import { sseResponse } from "../http/sse.ts";

/** A browser's EventSource tells its place in a header when it comes back. */
const follow: Handler = async (http, { principal, input }, engine) => {
  const after = http.req.header("Last-Event-ID") ?? input.after;
  const session = await engine.follow(principal, { ...input, after });
  const headers = { "X-Resume-Id": String(session.resume_id) };
  return sseResponse(http, session, { until_last: false, headers });
};

export const sessionRoutes: readonly Route[] = [
  get("/sessions", listSessions),
  post("/sessions", createSession, { status: 201 }),
  get("/sessions/:id", getSession),
  put("/sessions/:id", updateSession),
  del("/sessions/:id", deleteSession),
  get("/sessions/:id/messages", listMessages),
  post("/sessions/:id/cancel", cancelTurn),
  post("/sessions/:id/respond", respondToCall),
  get("/sessions/:id/events", followSession, {
    handler: follow,
    content_type: "text/event-stream",
  }),
];
