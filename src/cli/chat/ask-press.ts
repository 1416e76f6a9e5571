import type { AnswerKey } from "./answer-keys.ts";
import { pressApproval } from "./approval-state.ts";
import { argumentRoom, argumentText } from "./approval-text.ts";
import { activeAsk, type OpenApproval, type OpenForm, type Room, replaceAsk } from "./asks.ts";
import { type ChatState, withEntries } from "./chat-model.ts";
import { ANSWER_PROMPT, REASON_PROMPT } from "./field-layout.ts";
import { answersOf, pressForm } from "./form-state.ts";

/** What a key does to the question that is asked now. */
export function pressAsk(state: ChatState, key: AnswerKey, room: Room): ChatState {
  const open = activeAsk(state);
  if (!open) return state;
  if (open.sent) return key.type === "leave" ? { ...state, focus: "composer" } : state;
  return open.kind === "form"
    ? pressOpenForm(state, open, key, room)
    : pressOpenApproval(state, open, key, room);
}

function pressOpenForm(state: ChatState, open: OpenForm, key: AnswerKey, room: Room): ChatState {
  const { block } = open.ask;
  const { state: form, outcome } = pressForm(
    open.form,
    block,
    key,
    room.columns - ANSWER_PROMPT.length,
  );
  if (outcome === "leave") return { ...state, focus: "composer" };
  const sent = outcome === "send" ? answersOf(form, block) : undefined;
  return replaceAsk(state, { ...open, form, sent });
}

function pressOpenApproval(
  state: ChatState,
  open: OpenApproval,
  key: AnswerKey,
  room: Room,
): ChatState {
  const { ask } = open;
  const scrolling = { ...argumentRoom(ask, room), columns: room.columns - REASON_PROMPT.length };
  const { state: approval, outcome } = pressApproval(open.approval, key, scrolling);
  if (outcome === "leave") return { ...state, focus: "composer" };
  if (outcome === "show_all") {
    return withEntries(state, [{ kind: "arguments", tool: ask.tool, text: argumentText(ask) }]);
  }
  return replaceAsk(state, { ...open, approval, sent: outcome });
}
