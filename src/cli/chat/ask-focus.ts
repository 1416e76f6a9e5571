import { type AnswerKey, isTyping } from "./answer-keys.ts";
import { activeAsk } from "./asks.ts";
import type { ChatState } from "./chat-model.ts";

/** Keys that come so soon after a question were meant for something else. */
const GRACE_MS = 400;

/** Who gets a key: somebody who is writing goes on writing, and a late key must not decide. */
export function keyTarget(
  state: ChatState,
  is_composer_empty: boolean,
  key: AnswerKey | undefined,
  at: number,
): "ask" | "composer" | "nobody" {
  if (!takesKeys(state, is_composer_empty)) return "composer";
  if (!key) return "nobody";
  if (at - state.asked_at >= GRACE_MS || key.type === "leave") return "ask";
  return state.focus === "auto" && isTyping(key) ? "composer" : "nobody";
}

/** Whether the question has the keyboard, and the place of the composer. */
export function takesKeys(state: ChatState, is_composer_empty: boolean): boolean {
  if (!activeAsk(state) || state.focus === "composer") return false;
  return state.focus === "ask" || is_composer_empty;
}

/** Whether text is being written for the question, to which even ctrl+d belongs. */
export function takesText(state: ChatState): boolean {
  const open = activeAsk(state);
  if (open?.kind === "approval") return open.approval.reason !== undefined;
  return open?.form.fields[open.form.at]?.type === "text";
}
