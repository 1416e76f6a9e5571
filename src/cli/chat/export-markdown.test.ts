import { expect, test } from "vitest";
import type { PublicEvent } from "#engine/events/event.ts";
import { clipboardSequence } from "./clipboard.ts";
import { lastAnswer, sessionMarkdown } from "./export-markdown.ts";

const event = (
  event_type: PublicEvent["event_type"],
  payload: PublicEvent["payload"],
  rest: Partial<PublicEvent> = {},
): PublicEvent => ({
  id: "e",
  event_type,
  payload,
  created_at: "2026-01-01T00:00:00Z",
  ...rest,
});
const code = `\`\`\`js\n${"let a;\n".repeat(40)}\`\`\``;
const schema = { title: "Order", questions: [{ id: "q", label: "Size?", type: "text" }] };
const session = [
  event("user_message", { content: "Write code" }),
  event("tool_call", { tool: "search", arguments: { query: "x" } }, { call_id: "c1" }),
  event("tool_result", { tool: "search", content: "has ``` in it" }, { call_id: "c1" }),
  event("assistant_message", { content: "of a sub-agent" }, { parent_call_id: "c1" }),
  event("interrupt_request", { content: JSON.stringify({ interrupt_id: "i1", schema }) }),
  event("interrupt_resume", {
    content: JSON.stringify({
      interrupt_id: "i1",
      payload: { answers: [{ question_id: "q", value: "Large" }] },
    }),
  }),
  event("assistant_message", { content: code }),
];

test("a session is written down as markdown, answers as they were", () => {
  const text = sessionMarkdown("support", "s1", session);
  expect(text).toContain("# Chat with support\n\nSession s1\n\n## You\n\nWrite code");
  expect(text).toContain("**Tool `search`**\n\n```\nquery: x\n```\n\n````\nhas ``` in it\n````");
  expect(text).toContain("**Order**\n\n- Size? Large");
  expect(text).toContain(`## Answer\n\n${code}`);
  expect(text).not.toContain("of a sub-agent");
});

test("a session that is written down is harmless for a terminal", () => {
  const hostile = [event("assistant_message", { content: "a\u001B]0;title\u0007b\u202E" })];
  expect(sessionMarkdown("support", "s1", hostile)).toContain("## Answer\n\nab\n");
});

test("the last answer is the agent's own, whole and harmless", () => {
  expect(lastAnswer(session)).toBe(code);
  expect(lastAnswer([event("assistant_message", { content: "a\u001B[2Jb" })])).toBe("ab");
  expect(lastAnswer([event("user_message", { content: "hi" })])).toBeUndefined();
});

test("a text goes to the clipboard through the terminal, unless it is too long", () => {
  expect(clipboardSequence("héllo")).toBe("\u001B]52;c;aMOpbGxv\u0007");
  expect(clipboardSequence("x".repeat(100_000))).toBeUndefined();
});
