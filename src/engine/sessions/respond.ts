import { z } from "zod";
import type { Context } from "../context.ts";
import type { GateAnswer } from "../events/event.ts";
import { badRequest, conflict, EngineError, notFound } from "../kernel/error.ts";
import { defineOperation } from "../operation.ts";
import { SessionKey } from "./session.ts";
import { requireVisible } from "./visitor.ts";

const RespondInput = SessionKey.extend({
  /** From the `confirmation` event. */
  call_id: z.string().min(1),
  /** `approve`, or `reject: reason`. */
  answers: z.array(z.string()).min(1),
});

/** Answers the approval that a tool call waits for (specification 4 Chat, decision 10). */
export const respondToCall = defineOperation({
  name: "sessions.respond",
  summary: "Approve or reject a tool call that waits for a person",
  scope: ["chat", "sessions:write"],
  effect: "write",
  input: RespondInput,
  output: z.object({ status: z.literal("ok") }),
  run: async (ctx, { id, call_id, answers }) => {
    const session = await ctx.read.sessions.get(id);
    if (!session) throw notFound("session", id);
    requireVisible(ctx.principal, session);
    const answer = readAnswer(answers[0] ?? "");
    if (await ctx.services.turns.answerGate(id, call_id, answer)) return { status: "ok" as const };
    throw await explain(ctx, id, call_id);
  },
});

const APPROVALS = /^(approved?|yes|y|ok|okay|allow|allowed|confirm|confirmed|true)$/i;
const REJECTIONS = /^(reject(?:ed)?|deny|denied|no|n|cancel(?:led)?|false)(?:\s*:\s*([\s\S]*))?$/i;

/** What is neither is refused: an approval must never be read into a text that is not one. */
function readAnswer(text: string): GateAnswer {
  const answer = text.trim();
  if (APPROVALS.test(answer)) return { is_approved: true };
  const rejected = REJECTIONS.exec(answer);
  if (rejected) return { is_approved: false, reason: rejected[2]?.trim() || undefined };
  throw badRequest('answers: must be "approve" or "reject: reason"');
}

async function explain(
  { read }: Context,
  session_id: string,
  call_id: string,
): Promise<EngineError> {
  const events = (await read.events.list(session_id)).filter(
    (event) => "call_id" in event && event.call_id === call_id,
  );
  const has = (type: string) => events.some((event) => event.type === type);
  if (!has("confirmation_request")) return notFound("call that waits for approval", call_id);
  if (has("confirmation_answer") || has("tool_result")) {
    return conflict("this call was answered already, or nobody answered it in time");
  }
  return new EngineError("unavailable", "the turn of this call is being taken up; try again", {
    retry_after_s: 1,
  });
}
