/** Longest operating-system command or device string that is removed with its body. */
const MAX_STRING_SEQUENCE = 8192;
/** Longest unfinished escape sequence that waits for the next chunk of a stream. */
const MAX_HELD_BACK = 256;

/** Introducers of OSC, DCS, SOS, PM and APC, in their 7-bit and 8-bit forms. */
const STRING_START = "(?:\\u001B[\\]PX^_]|[\\u0090\\u0098\\u009D-\\u009F])";
const STRING_BODY = "[^\\u0007\\u001B\\u0090\\u0098\\u009C-\\u009F]";
const STRING_END = "(?:\\u0007|\\u001B\\\\|\\u009C)";
const CONTROL_START = "(?:\\u001B\\[|\\u009B)[0-?]*[ -/]*";
const ESCAPE_SEQUENCES = new RegExp(
  [
    `${STRING_START}${STRING_BODY}{0,${MAX_STRING_SEQUENCE}}${STRING_END}`,
    `${CONTROL_START}[@-~]`,
    "\\u001B[ -/]*[0-~]",
  ].join("|"),
  "g",
);
/** The end of a text that may be the beginning of a sequence, a pair of surrogates or a CRLF. */
const UNFINISHED = new RegExp(
  `(?:${STRING_START}${STRING_BODY}*\\u001B?|${CONTROL_START}|\\u001B[ -/]*|[\\uD800-\\uDBFF]|\\r)$`,
);

const LINE_ENDS = /\r\n?|[\u2028\u2029]/g;
const CONTROLS = /(?![\n\t])[\p{Cc}\uFFF9-\uFFFB]/gu;
const LONE_SURROGATES = /\p{Cs}/gu;
/** Invisible characters: bidirectional overrides, zero-width characters, tags, fillers. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;
const BEFORE_PICTOGRAPH_JOINER = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)$/u;
const PICTOGRAPH = /^\p{Extended_Pictographic}$/u;
const EMOJI_BASE = /^[\p{Emoji}\p{Extended_Pictographic}]$/u;
const JOINING_LETTER =
  /^[\p{sc=Arab}\p{sc=Syrc}\p{sc=Nkoo}\p{sc=Mong}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}]$/u;
/** Marks stacked higher than any writing needs spill over the lines around them. */
const STACKED_MARKS = /(\p{M}{6})\p{M}+/gu;
const PLAIN_ASCII = /^[\n\t -~]*$/;

const NON_JOINER = "\u200C";
const JOINER = "\u200D";

/**
 * Text from a model, a tool or a document, made harmless for a terminal: only printable characters,
 * line feeds and tabs are left, and none that is invisible or turns the reading direction.
 */
export function sanitize(text: string): string {
  if (PLAIN_ASCII.test(text)) return text;
  return text
    .replace(ESCAPE_SEQUENCES, "")
    .replace(LINE_ENDS, "\n")
    .replace(CONTROLS, "")
    .replace(LONE_SURROGATES, "\uFFFD")
    .replace(IGNORABLE, (character, offset: number, whole: string) =>
      isNeeded(character, lastCharacter(whole, offset), firstCharacter(whole, offset + 1))
        ? character
        : "",
    )
    .replace(STACKED_MARKS, "$1");
}

/** On one line, for titles, names and arguments. */
export const sanitizeLine = (text: string): string => sanitize(text).replace(/\s+/g, " ").trim();

function isNeeded(character: string, before: string, after: string): boolean {
  if (character === "\uFE0F" || character === "\uFE0E") return EMOJI_BASE.test(before);
  if (character !== JOINER && character !== NON_JOINER) return false;
  if (JOINING_LETTER.test(before) && JOINING_LETTER.test(after)) return true;
  return character === JOINER && BEFORE_PICTOGRAPH_JOINER.test(before) && PICTOGRAPH.test(after);
}

const firstCharacter = (text: string, from: number): string => {
  const code_point = text.codePointAt(from);
  return code_point === undefined ? "" : String.fromCodePoint(code_point);
};

const lastCharacter = (text: string, until: number): string =>
  firstCharacter(text, isLowSurrogate(text, until - 1) ? until - 2 : until - 1);

const isLowSurrogate = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc00) === 0xdc00;

export interface StreamSanitizer {
  /** The harmless text of what came so far; an unfinished sequence waits for its rest. */
  push(chunk: string): string;
  /** What is left at the end of the stream. */
  flush(): string;
}

/** An escape sequence may be cut anywhere by the chunks of a stream. */
export function createStreamSanitizer(): StreamSanitizer {
  let held = "";
  return {
    push(chunk) {
      const text = held + chunk;
      const start = unfinishedFrom(text);
      held = text.slice(start);
      return sanitize(text.slice(0, start));
    },
    flush() {
      const rest = held;
      held = "";
      return sanitize(rest);
    },
  };
}

/** Looks at the last characters only, so that a stream without line ends stays cheap. */
function unfinishedFrom(text: string): number {
  const from = Math.max(0, text.length - MAX_HELD_BACK);
  const match = UNFINISHED.exec(text.slice(from));
  return match ? from + match.index : text.length;
}

const UNSAFE_IN_JSON = /[\u007F-\u009F\u2028\u2029\p{Default_Ignorable_Code_Point}]/gu;

/** JSON that is harmless when printed: the same value, its unprintable characters as escapes. */
export const safeJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, undefined, indent).replace(UNSAFE_IN_JSON, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
      .join(""),
  );
