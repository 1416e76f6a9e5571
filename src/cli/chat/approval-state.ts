import type { AnswerKey } from "./answer-keys.ts";
import { type ComposerState, composedText, editComposer, emptyComposer } from "./composer-state.ts";
import type { Pressed } from "./form-state.ts";

/** The approval of a tool call while a person decides. */
export interface ApprovalState {
  /** Set while the reason of a rejection is written. */
  readonly reason?: ComposerState | undefined;
  /** The first row of the arguments that is shown. */
  readonly scroll: number;
}

export interface Verdict {
  readonly is_approved: boolean;
  readonly reason: string;
}

export type ApprovalOutcome = Verdict | "leave" | "show_all";

export interface PressedApproval extends Omit<Pressed<ApprovalState>, "outcome"> {
  readonly outcome?: ApprovalOutcome | undefined;
}

export const openApproval: ApprovalState = { scroll: 0 };

const APPROVED: Verdict = { is_approved: true, reason: "" };
const REJECTED: Verdict = { is_approved: false, reason: "" };

/** What a key does; `hidden` rows of the arguments can be scrolled to, `page` of them at once. */
export function pressApproval(
  state: ApprovalState,
  key: AnswerKey,
  { hidden, page, columns }: { hidden: number; page: number; columns: number },
): PressedApproval {
  if (state.reason) return pressReason(state, state.reason, key, columns);
  switch (key.type) {
    case "leave":
      return { state, outcome: "leave" };
    case "insert":
      return pressLetter(state, key.text);
    case "move":
    case "page": {
      const step = (key.type === "page" ? page : 1) * (key.direction === "up" ? -1 : 1);
      return { state: { ...state, scroll: Math.min(Math.max(0, state.scroll + step), hidden) } };
    }
    default:
      return { state };
  }
}

/** Exactly one letter: what was typed ahead or pasted must not decide. */
function pressLetter(state: ApprovalState, text: string): PressedApproval {
  switch (text.toLowerCase()) {
    case "y":
      return { state, outcome: APPROVED };
    case "n":
      return { state, outcome: REJECTED };
    case "r":
      return { state: { ...state, reason: emptyComposer } };
    case "v":
      return { state, outcome: "show_all" };
    default:
      return { state };
  }
}

function pressReason(
  state: ApprovalState,
  reason: ComposerState,
  key: AnswerKey,
  columns: number,
): PressedApproval {
  const write = (written: ComposerState) => ({ state: { ...state, reason: written } });
  switch (key.type) {
    case "leave":
      return { state: { ...state, reason: undefined } };
    case "enter":
      return {
        state,
        outcome: { is_approved: false, reason: composedText(reason).replace(/\s+/g, " ").trim() },
      };
    case "edit":
      return write(editComposer(reason, { type: key.edit }));
    case "insert":
    case "paste":
      return write(editComposer(reason, key));
    case "move":
      return write(editComposer(reason, { type: key.direction, columns, history: [] }));
    default:
      return { state };
  }
}

/** The text that the respond route takes. */
export const verdictText = ({ is_approved, reason }: Verdict): string => {
  if (is_approved) return "approve";
  return reason === "" ? "reject" : `reject: ${reason}`;
};
