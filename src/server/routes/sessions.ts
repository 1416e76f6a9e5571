import {
  cancelTurn,
  createSession,
  deleteSession,
  getSession,
  listMessages,
  listSessions,
  updateSession,
} from "#engine/sessions/operations.ts";
import { del, get, post, put, type Route } from "../http/route.ts";

export const sessionRoutes: readonly Route[] = [
  get("/sessions", listSessions),
  post("/sessions", createSession, { status: 201 }),
  get("/sessions/:id", getSession),
  put("/sessions/:id", updateSession),
  del("/sessions/:id", deleteSession),
  get("/sessions/:id/messages", listMessages),
  post("/sessions/:id/cancel", cancelTurn),
];
