import { graphemes } from "./text-width.ts";

interface TextPosition {
  readonly value: string;
  /** Always between two graphemes. */
  readonly cursor: number;
}

/** More than any grapheme has, so that a step does not read the whole text. */
const STEP_WINDOW = 64;

export const previousGrapheme = ({ value, cursor }: TextPosition): number =>
  cursor - (graphemes(value.slice(Math.max(0, cursor - STEP_WINDOW), cursor)).at(-1)?.length ?? 0);

export const nextGrapheme = ({ value, cursor }: TextPosition): number =>
  cursor + (graphemes(value.slice(cursor, cursor + STEP_WINDOW))[0]?.length ?? 0);

export const lineStart = ({ value, cursor }: TextPosition): number =>
  value.lastIndexOf("\n", cursor - 1) + 1;

export function lineEnd({ value, cursor }: TextPosition): number {
  const end = value.indexOf("\n", cursor);
  return end === -1 ? value.length : end;
}

const WORD_CHARACTER = /^[\p{L}\p{N}\p{M}_]/u;

const isWord = (grapheme: string): boolean => WORD_CHARACTER.test(grapheme);

/** The start of the word at or before the cursor. */
export const wordStart = ({ value, cursor }: TextPosition): number =>
  cursor - stepLength(graphemes(value.slice(0, cursor)).reverse());

/** The end of the word at or behind the cursor. */
export const wordEnd = ({ value, cursor }: TextPosition): number =>
  cursor + stepLength(graphemes(value.slice(cursor)));

/** What lies between words, and then a word. */
function stepLength(characters: readonly string[]): number {
  const word = characters.findIndex(isWord);
  if (word === -1) return characters.join("").length;
  const end = characters.findIndex((grapheme, index) => index > word && !isWord(grapheme));
  return characters.slice(0, end === -1 ? undefined : end).join("").length;
}
