/** Cuts texts into the word pieces of an uncased BERT vocabulary. */
export interface WordPieces {
  /** How many pieces a text has; without the two that mark its ends. */
  count(text: string): number;
  /** Their numbers, at most `limit`, with the two that mark the ends. */
  encode(text: string, limit: number): number[];
}

const START = "[CLS]";
const END = "[SEP]";
const UNKNOWN = "[UNK]";
const WORD_CHARACTERS_MAX = 100;
/** So many words are remembered; a text without spaces must not fill the memory. */
const REMEMBERED_MAX = 50_000;

/** Not letters to the vocabulary: control characters but for white space, and what stands for a broken one. */
const NOISE = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/gu;
const ACCENTS = /\p{Mn}/gu;
const IDEOGRAPHS =
  "\\u4e00-\\u9fff\\u3400-\\u4dbf\\u{20000}-\\u{2a6df}\\u{2a700}-\\u{2b73f}\\u{2b740}-\\u{2b81f}\\u{2b920}-\\u{2ceaf}\\uf900-\\ufaff\\u{2f800}-\\u{2fa1f}";
const MARKS = "\\p{P}$+<=>^`|~";
/** An ideograph, a punctuation mark, or a word. */
const WORD = new RegExp(`[${IDEOGRAPHS}]|[${MARKS}]|[^\\s${IDEOGRAPHS}${MARKS}]+`, "gu");

/** `vocabulary`: one piece a line, in the order of their numbers. */
export function createWordPieces(vocabulary: string): WordPieces {
  const numbers = new Map(vocabulary.split("\n").map((piece, number) => [piece, number] as const));
  const special = (piece: string): number => numbers.get(piece) ?? 0;
  const [start, end, unknown] = [special(START), special(END), special(UNKNOWN)];
  const remembered = new Map<string, readonly number[]>();

  function piecesOf(word: string): readonly number[] {
    const known = remembered.get(word);
    if (known) return known;
    const pieces = cut(word, numbers) ?? [unknown];
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    remembered.set(word, pieces);
    return pieces;
  }

  return {
    count: (text) => wordsOf(text).reduce((sum, word) => sum + piecesOf(word).length, 0),
    encode(text, limit) {
      const pieces = [start];
      for (const word of wordsOf(text)) {
        pieces.push(...piecesOf(word));
        if (pieces.length >= limit) break;
      }
      return [...pieces.slice(0, limit - 1), end];
    },
  };
}

const wordsOf = (text: string): string[] =>
  text.replace(NOISE, "").normalize("NFD").replace(ACCENTS, "").toLowerCase().match(WORD) ?? [];

/** The longest piece first, then the longest that goes on from there; undefined when there is none. */
function cut(word: string, numbers: ReadonlyMap<string, number>): number[] | undefined {
  const characters = [...word];
  if (characters.length > WORD_CHARACTERS_MAX) return undefined;
  const pieces: number[] = [];
  for (let at = 0; at < characters.length; ) {
    let end = characters.length;
    let number: number | undefined;
    for (; end > at && number === undefined; end -= 1) {
      number = numbers.get((at > 0 ? "##" : "") + characters.slice(at, end).join(""));
    }
    if (number === undefined) return undefined;
    pieces.push(number);
    at = end + 1;
  }
  return pieces;
}
