import type { Key } from "ink";
import type { EditType } from "./composer-state.ts";

/** Readline's keys. */
const CONTROL_KEYS: Readonly<Record<string, EditType>> = {
  a: "line_start",
  b: "left",
  d: "delete",
  e: "line_end",
  f: "right",
  h: "backspace",
  k: "kill_to_end",
  u: "kill_to_start",
  w: "kill_word",
  y: "yank",
};

const META_KEYS: Readonly<Record<string, EditType>> = {
  b: "word_left",
  d: "kill_word_forward",
  f: "word_right",
};

export type ComposerKey =
  | { readonly type: "edit"; readonly edit: EditType }
  | { readonly type: "insert"; readonly text: string }
  | { readonly type: "move"; readonly direction: "up" | "down" }
  | { readonly type: "enter" }
  /** Text and the enter key that came in one piece, as they do over a slow connection. */
  | { readonly type: "insert_enter"; readonly text: string };

/** What a key means to the composer; `undefined` when it means nothing. */
export function composerKey(input: string, key: Key): ComposerKey | undefined {
  return enterKey(input, key) ?? namedKey(input, key) ?? letterKey(input, key);
}

function enterKey(input: string, key: Key): ComposerKey | undefined {
  if (key.return)
    return key.shift || key.meta || key.ctrl ? { type: "insert", text: "\n" } : { type: "enter" };
  if (input === "\n" || (key.ctrl && input === "j")) return { type: "insert", text: "\n" };
  return undefined;
}

function namedKey(input: string, key: Key): ComposerKey | undefined {
  if (key.upArrow || (key.ctrl && input === "p")) return { type: "move", direction: "up" };
  if (key.downArrow || (key.ctrl && input === "n")) return { type: "move", direction: "down" };
  const edit = namedEdit(key);
  return edit && { type: "edit", edit };
}

/** What a named key does, alone and with ctrl or alt. */
const NAMED_KEYS: readonly (readonly [keyof Key, EditType, EditType])[] = [
  ["leftArrow", "left", "word_left"],
  ["rightArrow", "right", "word_right"],
  ["home", "line_start", "line_start"],
  ["end", "line_end", "line_end"],
  ["backspace", "backspace", "kill_word"],
  ["delete", "delete", "kill_word_forward"],
];

function namedEdit(key: Key): EditType | undefined {
  const [, alone, by_word] = NAMED_KEYS.find(([name]) => key[name]) ?? [];
  return key.ctrl || key.meta ? by_word : alone;
}

function letterKey(input: string, key: Key): ComposerKey | undefined {
  if (input === "" || key.escape || key.tab || key.super || key.hyper) return undefined;
  const edit = editFor(input, key);
  if (edit) return { type: "edit", edit };
  if (key.ctrl || key.meta) return undefined;
  const ends_with_enter = input.indexOf("\r") === input.length - 1 && input.length > 1;
  return ends_with_enter
    ? { type: "insert_enter", text: input.slice(0, -1) }
    : { type: "insert", text: input };
}

function editFor(input: string, key: Key): EditType | undefined {
  if (key.ctrl) return CONTROL_KEYS[input];
  return key.meta ? META_KEYS[input.toLowerCase()] : undefined;
}
