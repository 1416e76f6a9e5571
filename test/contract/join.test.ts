import { expect, test } from "vitest";
import { restoreSession, unfinishedTurn } from "#cli/chat/restored-entries.ts";
import { behind, framesOf } from "#cli/client/frame-queue.ts";
import { adminSession } from "#engine/kernel/principal.ts";
import { listMessages } from "#engine/sessions/operations.ts";
import { startChatApp } from "../support/chat.ts";
import { ask, frameOf } from "../support/turns.ts";

const questions = [{ id: "where", label: "Where to?", type: "text" }];
const form = {
  id: "f1",
  tool: "show_structured_output",
  input: { output_type: "form", title: "A trip", questions },
};
const gated = {
  tools: ["show_structured_output", "current_time"],
  confirm_before: ["current_time"],
};

test("a turn that waits for an approval is joined from its beginning to its end", async () => {
  const app = await startChatApp(
    [
      { text: "Hello." },
      { calls: [form] },
      { calls: [{ id: "c1", tool: "current_time", input: {} }] },
      { text: "Done." },
    ],
    gated,
  );
  const { session_id } = await ask(app.admin, { message: "hi" });
  const { one } = await ask(app.admin, { message: "plan a trip", session_id });
  const { interrupt_id } = one("interrupt_request");
  const payload = { answers: [{ question_id: "where", value: "Turku" }] };
  const resume_interrupt = { interrupt_id, payload };
  await app.admin.open("/schemas/support/chat", { session_id, resume_interrupt });
  await frameOf(app, session_id, "confirmation");

  const principal = adminSession("test");
  const events = await app.engine.call(principal, listMessages, { id: session_id });
  const turn = unfinishedTurn(events);
  expect(turn?.number).toBe(3);
  expect(restoreSession(turn?.before ?? []).entries.map(({ kind }) => kind)).toEqual([
    "user",
    "assistant",
    "user",
    "answered",
  ]);

  const session = await app.engine.follow(principal, { id: session_id });
  const told: string[] = [];
  for await (const { event } of behind(2, framesOf(session, 3))) {
    told.push(event);
    if (event !== "confirmation") continue;
    await app.admin.post(`/sessions/${session_id}/respond`, {
      call_id: "c1",
      answers: ["approve"],
    });
  }
  expect(told.filter((event) => event !== "message_delta")).toEqual([
    "interrupt_resume",
    "tool_call",
    "confirmation",
    "tool_result",
    "message",
    "done",
  ]);
  const finished = await app.engine.call(principal, listMessages, { id: session_id });
  expect(unfinishedTurn(finished)).toBeUndefined();
});
