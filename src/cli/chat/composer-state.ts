import { moveVertically } from "./composer-layout.ts";
import {
  lineEnd,
  lineStart,
  nextGrapheme,
  previousGrapheme,
  wordEnd,
  wordStart,
} from "./composer-moves.ts";
import { sanitize } from "./sanitize.ts";

/** The message that is being written. Pure: what a key does to it is a rule without a terminal. */
export interface ComposerState {
  readonly value: string;
  /** Always between two graphemes. */
  readonly cursor: number;
  readonly pastes: readonly Paste[];
  /** What was cut last, to be put back with ctrl+y. */
  readonly killed: string;
  /** The earlier prompt that is shown, counted from the newest; -1 is the own draft. */
  readonly history_at: number;
  readonly draft: ComposerState | undefined;
}

/** A long paste stands in the text as its label until the message is sent. */
interface Paste {
  readonly label: string;
  readonly text: string;
}

export type ComposerAction =
  | { readonly type: "insert" | "paste" | "set"; readonly text: string }
  | { readonly type: EditType }
  | {
      readonly type: "up" | "down";
      readonly columns: number;
      /** Oldest first. */
      readonly history: readonly string[];
    };

export type EditType =
  | "backspace"
  | "delete"
  | "left"
  | "right"
  | "word_left"
  | "word_right"
  | "line_start"
  | "line_end"
  | "kill_to_end"
  | "kill_to_start"
  | "kill_word"
  | "kill_word_forward"
  | "yank"
  | "clear";

const LONG_PASTE_LINES = 10;
const LONG_PASTE_CHARACTERS = 2000;

export const emptyComposer: ComposerState = {
  value: "",
  cursor: 0,
  pastes: [],
  killed: "",
  history_at: -1,
  draft: undefined,
};

export function editComposer(state: ComposerState, action: ComposerAction): ComposerState {
  switch (action.type) {
    case "insert":
      return insert(state, sanitize(action.text));
    case "paste":
      return paste(state, sanitize(action.text));
    case "set":
      return withValue({ ...emptyComposer, killed: state.killed }, sanitize(action.text));
    case "up":
    case "down":
      return vertical(state, action);
    case "clear":
      return { ...emptyComposer, killed: state.killed };
    case "yank":
      return insert(state, state.killed);
    case "backspace":
      return cut(state, backspaceStart(state), state.cursor);
    case "delete":
      return cut(state, state.cursor, nextGrapheme(state));
    case "kill_to_end":
      return kill(state, state.cursor, lineEnd(state));
    case "kill_to_start":
      return kill(state, lineStart(state), state.cursor);
    case "kill_word":
      return kill(state, wordStart(state), state.cursor);
    case "kill_word_forward":
      return kill(state, state.cursor, wordEnd(state));
    case "left":
      return { ...state, cursor: previousGrapheme(state) };
    case "right":
      return { ...state, cursor: nextGrapheme(state) };
    case "word_left":
      return { ...state, cursor: wordStart(state) };
    case "word_right":
      return { ...state, cursor: wordEnd(state) };
    case "line_start":
      return { ...state, cursor: lineStart(state) };
    case "line_end":
      return { ...state, cursor: lineEnd(state) };
  }
}

/** The message itself, pastes in full. */
export const composedText = ({ value, pastes }: ComposerState): string =>
  pastes.reduce((text, paste) => text.replace(paste.label, () => paste.text), value);

const insert = (state: ComposerState, text: string): ComposerState => ({
  ...state,
  value: state.value.slice(0, state.cursor) + text + state.value.slice(state.cursor),
  cursor: state.cursor + text.length,
  history_at: -1,
});

function paste(state: ComposerState, text: string): ComposerState {
  const lines = text.split("\n").length;
  if (lines <= LONG_PASTE_LINES && text.length <= LONG_PASTE_CHARACTERS) return insert(state, text);
  const number = state.pastes.length === 0 ? "" : ` #${state.pastes.length + 1}`;
  const size = lines > LONG_PASTE_LINES ? `${lines} lines` : `${text.length} characters`;
  const label = `[pasted ${size}${number}]`;
  return insert({ ...state, pastes: [...state.pastes, { label, text }] }, label);
}

const withValue = (state: ComposerState, value: string): ComposerState => ({
  ...state,
  value,
  cursor: value.length,
});

const cut = (state: ComposerState, from: number, to: number): ComposerState => ({
  ...state,
  value: state.value.slice(0, from) + state.value.slice(to),
  cursor: from,
  history_at: -1,
});

const kill = (state: ComposerState, from: number, to: number): ComposerState =>
  from === to ? state : { ...cut(state, from, to), killed: state.value.slice(from, to) };

/** A label goes as a whole, since half a label means nothing. */
function backspaceStart(state: ComposerState): number {
  const before = state.value.slice(0, state.cursor);
  const label = state.pastes.find((each) => before.endsWith(each.label))?.label;
  return label ? state.cursor - label.length : previousGrapheme(state);
}

type Vertical = Extract<ComposerAction, { readonly type: "up" | "down" }>;

/** Within the text first; at its first and last row, through the history. */
function vertical(state: ComposerState, { type, columns, history }: Vertical): ComposerState {
  const cursor = moveVertically(state.value, state.cursor, columns, type === "up" ? -1 : 1);
  if (cursor !== undefined) return { ...state, cursor };
  const at = state.history_at + (type === "up" ? 1 : -1);
  const draft = state.history_at === -1 ? state : state.draft;
  if (at === -1 && draft) return { ...draft, cursor: draft.value.length };
  const prompt = history.at(-1 - at);
  if (at < 0 || at >= history.length || prompt === undefined) return state;
  return { ...editComposer(emptyComposer, { type: "paste", text: prompt }), history_at: at, draft };
}
