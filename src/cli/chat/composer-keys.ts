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
  | { readonly type: "enter" };

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
  return { type: "insert", text: input };
}

function editFor(input: string, key: Key): EditType | undefined {
  if (key.ctrl) return CONTROL_KEYS[input];
  return key.meta ? META_KEYS[input.toLowerCase()] : undefined;
}

export interface KeyPress {
  readonly input: string;
  readonly key: Key;
}

/** Keys that came in one piece, as they do over a slow connection; pasted line ends stay text. */
export function splitKeys(input: string, key: Key): readonly KeyPress[] {
  const presses: KeyPress[] = [];
  let text = "";
  const flush = () => {
    if (text !== "") presses.push({ input: text, key });
    text = "";
  };
  for (const [index, character] of [...input].entries()) {
    const pressed = controlPress(character, index === input.length - 1 && input.length > 1, key);
    if (!pressed) {
      text += character;
      continue;
    }
    flush();
    presses.push(pressed);
  }
  flush();
  return presses.length === 0 ? [{ input, key }] : presses;
}

const LAST_LETTER = 26;
const LETTERS_FROM = 96;

function controlPress(character: string, is_last: boolean, key: Key): KeyPress | undefined {
  if (character === "\r")
    return is_last ? { input: character, key: { ...key, return: true } } : undefined;
  const code = character.codePointAt(0) ?? 0;
  if (character === "\n" || character === "\t" || code === 0 || code > LAST_LETTER)
    return undefined;
  return { input: String.fromCharCode(LETTERS_FROM + code), key: { ...key, ctrl: true } };
}
