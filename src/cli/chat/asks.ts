import { type ApprovalState, openApproval, type Verdict } from "./approval-state.ts";
import { type EntryContent, FORM_LEFT } from "./chat-entries.ts";
import { type ChatState, withEntries } from "./chat-model.ts";
import { answerTexts, type FormState, openForm } from "./form-state.ts";
import {
  type Ask,
  askKey,
  type Block,
  type Confirmation,
  type FormAnswer,
  type Interrupt,
  needsAnswer,
  parseAnswers,
  parseApproval,
} from "./interrupt.ts";

/** What a person is asked for, and the answer as far as it was given. */
export type OpenAsk = OpenForm | OpenApproval;

export interface OpenForm {
  readonly kind: "form";
  readonly ask: Interrupt;
  readonly form: FormState;
  /** On its way to the server. */
  readonly sent?: readonly FormAnswer[] | undefined;
}

export interface OpenApproval {
  readonly kind: "approval";
  readonly ask: Confirmation;
  readonly approval: ApprovalState;
  /** On its way to the server. */
  readonly sent?: Verdict | undefined;
}

/** The size of what a key moves in. */
export interface Room {
  readonly columns: number;
  readonly rows: number;
}

/**
 * What is asked now: an approval before a form, since a turn waits for it, and a form only when its turn
 * is over, since the answer is a turn of its own.
 */
export function activeAsk({ asks, activity, loading }: ChatState): OpenAsk | undefined {
  const approval = asks.find(({ kind }) => kind === "approval");
  if (approval || activity !== "idle" || loading) return approval;
  return asks.find(({ kind }) => kind === "form");
}

export const findAsk = ({ asks }: ChatState, key: string): OpenAsk | undefined =>
  asks.find(({ ask }) => askKey(ask) === key);

/** A new question; one that a resumed stream repeats is asked once. */
export function openAsk(state: ChatState, ask: Ask, at: number): ChatState {
  if (findAsk(state, askKey(ask))) return state;
  const told = ask.kind === "interrupt" ? withEntries(state, blockEntries(ask.block)) : state;
  if (ask.kind === "interrupt" && !needsAnswer(ask.block)) return told;
  const is_first = state.asks.length === 0;
  return {
    ...told,
    asks: [...state.asks, unanswered(ask)],
    ...(is_first ? { focus: "auto", asked_at: at } : {}),
  };
}

export const unanswered = (ask: Ask): OpenAsk =>
  ask.kind === "interrupt"
    ? { kind: "form", ask, form: openForm(ask.block) }
    : { kind: "approval", ask, approval: openApproval };

/** What is more than a title and questions is read in the transcript, where there is room for it. */
export function blockEntries(block: Block): EntryContent[] {
  const tells_more = block.description !== "" || block.rows.length > 0;
  return needsAnswer(block) && !tells_more ? [] : [{ kind: "block", block }];
}

/** The next question takes the keyboard, but not the key that was meant for this one. */
export function dropAsk(state: ChatState, key: string, at: number): ChatState {
  const asks = state.asks.filter(({ ask }) => askKey(ask) !== key);
  const focus = state.focus === "auto" ? "ask" : state.focus;
  return { ...state, asks, asked_at: at, focus: asks.length === 0 ? "auto" : focus };
}

/** A call that has a result waits for nobody: it was answered here, elsewhere, or too late. */
export function closeCall(
  state: ChatState,
  { call_id, has_error }: { readonly call_id: string; readonly has_error: boolean },
  at: number,
): ChatState {
  const open = findAsk(state, call_id);
  if (open?.kind !== "approval") return state;
  const dropped = dropAsk(state, call_id, at);
  const { tool } = open.ask;
  if (open.sent) return withEntries(dropped, [{ kind: "verdict", tool, verdict: open.sent }]);
  const outcome = has_error ? "was not approved, or not in time" : "was approved";
  return withEntries(dropped, [{ kind: "notice", text: `${tool || "The call"} ${outcome}.` }]);
}

/** A form was answered, or an approval that a sub-agent waited for, here or elsewhere. */
export function closeAsk(state: ChatState, { interrupt_id, content }: Answered, at: number) {
  if (findAsk(state, interrupt_id)?.kind !== "approval")
    return closeForm(state, interrupt_id, parseAnswers(content), at);
  return closeCall(state, { call_id: interrupt_id, has_error: !parseApproval(content) }, at);
}

type Answered = { readonly interrupt_id: string; readonly content: string };

function closeForm(
  state: ChatState,
  interrupt_id: string,
  answers: readonly FormAnswer[],
  at: number,
): ChatState {
  const open = findAsk(state, interrupt_id);
  if (open?.kind !== "form") return state;
  const { block } = open.ask;
  return withEntries(dropAsk(state, interrupt_id, at), [
    { kind: "answered", title: block.title, answers: answerTexts(block, answers) },
  ]);
}

/** An ordinary message goes on without the answers. */
export function abandonForms(state: ChatState): ChatState {
  const forms = state.asks.filter(({ kind }) => kind === "form");
  if (forms.length === 0) return state;
  const asks = state.asks.filter(({ kind }) => kind !== "form");
  const left: ChatState = { ...state, asks, focus: "auto" };
  return withEntries(left, [{ kind: "notice", text: FORM_LEFT }]);
}

/** With the end of its turn an approval is no longer waited for, and a form may be sent again. */
export const settleAsks = (asks: readonly OpenAsk[]): OpenAsk[] =>
  asks.flatMap((open) => (open.kind === "form" ? [{ ...open, sent: undefined }] : []));

export const replaceAsk = (state: ChatState, open: OpenAsk): ChatState => ({
  ...state,
  asks: state.asks.map((other) => (askKey(other.ask) === askKey(open.ask) ? open : other)),
});

/** The server took the verdict. */
export function verdictTaken(state: ChatState, key: string, at: number): ChatState {
  const open = findAsk(state, key);
  if (open?.kind !== "approval" || !open.sent) return state;
  return withEntries(dropAsk(state, key, at), [
    { kind: "verdict", tool: open.ask.tool, verdict: open.sent },
  ]);
}

/** The answer did not get through: it can be sent again, unless nobody waits for it any more. */
export function answerFailed(
  state: ChatState,
  { key, message, is_gone }: { key: string; message: string; is_gone: boolean },
  at: number,
): ChatState {
  const open = findAsk(state, key);
  if (!open) return state;
  if (!is_gone) {
    const again = replaceAsk(state, { ...open, sent: undefined });
    return withEntries(again, [{ kind: "error", message: `Not answered: ${message}` }]);
  }
  const subject = open.kind === "form" ? open.ask.block.title : open.ask.tool;
  const text = `${subject || "The question"}: answered elsewhere, or too late.`;
  return withEntries(dropAsk(state, key, at), [{ kind: "notice", text }]);
}
