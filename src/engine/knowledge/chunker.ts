import { type Chunk, headingPath } from "./chunk.ts";

/** From here on, text stands under these headings, and on this page. */
export interface Mark {
  readonly start: number;
  readonly headings: readonly string[];
  readonly page?: number | undefined;
}

/** What a file says, and what is where in it; marks are in order. */
export interface ExtractedText {
  readonly text: string;
  readonly marks: readonly Mark[];
}

/** A passage with its headings is filled up to the first, and never grows over the second, in tokens. */
const TARGET_TOKENS = 200;
const MAX_TOKENS = 254;
const CHARACTERS_PER_TOKEN = 4;
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const SPACE = /^\s*$/;

/** About as many as a model counts: a token is four characters, or one of a script without spaces. */
export function estimateTokens(text: string): number {
  const dense = text.match(DENSE)?.length ?? 0;
  return dense + Math.ceil((text.length - dense) / CHARACTERS_PER_TOKEN);
}

export type CountTokens = (text: string) => number;

/**
 * Cuts a text into passages that follow its structure: never across a heading or a page, else between
 * paragraphs, lines, sentences, words, in this order. Passages tile the text: joined, they are it again.
 * `count` is a model's way to count tokens; without it, and for what it takes for less, they are estimated.
 */
export function chunkText({ text, marks }: ExtractedText, count?: CountTokens): Chunk[] {
  const tokensIn: CountTokens = (part) => {
    const least = part.length / CHARACTERS_PER_TOKEN;
    // Clearly too large: nothing must look at every word of a whole book.
    if (least > MAX_TOKENS) return least;
    return Math.max(estimateTokens(part), count === undefined ? 0 : count(part));
  };
  const chunks: Chunk[] = [];
  for (const { start, end, headings, page } of sectionsOf(text, marks)) {
    const above = tokensIn(headingPath(headings));
    const measure = { tokensIn, target: TARGET_TOKENS - above, max: MAX_TOKENS - above };
    for (const piece of piecesOf(text, { start, end }, measure)) {
      const seq = chunks.length;
      chunks.push({ seq, ...piece, headings, page, text: text.slice(piece.start, piece.end) });
    }
  }
  return chunks;
}

interface Measure {
  readonly tokensIn: CountTokens;
  readonly target: number;
  readonly max: number;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

type Section = Range & Pick<Mark, "headings" | "page">;

/** The text between marks; white space goes with what stands before it, or else what comes after. */
function sectionsOf(text: string, marks: readonly Mark[]): Section[] {
  const first: Mark = { start: 0, headings: [] };
  const all = [first, ...marks];
  const sections: Section[] = [];
  let pending = 0;
  for (const [index, { headings, page }] of all.entries()) {
    const end = all[index + 1]?.start ?? text.length;
    if (end <= pending) continue;
    if (SPACE.test(text.slice(pending, end))) {
      const before = sections.pop();
      if (before) {
        sections.push({ ...before, end });
        pending = end;
      }
      continue;
    }
    sections.push({ start: pending, end, headings, page });
    pending = end;
  }
  return sections;
}

/** Ends of paragraphs, lines, sentences and words: each with the white space that follows. */
const BORDERS = [/\n[^\S\n]*\n\s*/g, /\n\s*/g, /[.!?]["')\]]*\s+|[。！？]/g, /\s+/g] as const;

interface Part extends Range {
  readonly tokens: number;
}

/** Fills passages with whole parts; a part that is too large for one is cut at the next finer border. */
function piecesOf(text: string, range: Range, measure: Measure): Range[] {
  const pieces: Range[] = [];
  let open: Part | undefined;
  const close = () => {
    if (open) pieces.push({ start: open.start, end: open.end });
    open = undefined;
  };
  for (const part of partsOf(text, range, 0, measure)) {
    if (open && open.tokens + part.tokens > measure.target) close();
    if (open) open = { start: open.start, end: part.end, tokens: open.tokens + part.tokens };
    else open = part;
  }
  close();
  return joinBlank(text, pieces);
}

/** One by one: all the parts of a large file at once would take more memory than its text. */
function* partsOf(text: string, range: Range, level: number, measure: Measure): Iterable<Part> {
  const border = BORDERS[level];
  if (border === undefined) {
    yield* cutHard(text.slice(range.start, range.end), range.start, measure);
    return;
  }
  for (const part of cutAt(border, text, range)) {
    const tokens = measure.tokensIn(text.slice(part.start, part.end));
    if (tokens > measure.max) yield* partsOf(text, part, level + 1, measure);
    else yield { ...part, tokens };
  }
}

function* cutAt(border: RegExp, text: string, range: Range): Iterable<Range> {
  let start = range.start;
  for (const found of text.slice(range.start, range.end).matchAll(border)) {
    const end = range.start + found.index + found[0].length;
    if (end > start) yield { start, end };
    start = end;
  }
  if (start < range.end) yield { start, end: range.end };
}

/** Where nothing tells a border, in halves; never between the halves of a character. */
function cutHard(slice: string, offset: number, measure: Measure): Part[] {
  const tokens = measure.tokensIn(slice);
  if (tokens <= measure.target || slice.length <= 2)
    return [{ start: offset, end: offset + slice.length, tokens }];
  const middle = Math.floor(slice.length / 2);
  const half = isSecondHalf(slice.charCodeAt(middle)) ? middle + 1 : middle;
  return [
    ...cutHard(slice.slice(0, half), offset, measure),
    ...cutHard(slice.slice(half), offset + half, measure),
  ];
}

const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** A passage of white space says nothing: it goes with its neighbour. */
function joinBlank(text: string, pieces: readonly Range[]): Range[] {
  const joined: Range[] = [];
  let start: number | undefined;
  for (const piece of pieces) {
    const range = { start: start ?? piece.start, end: piece.end };
    start = undefined;
    const before = joined.at(-1);
    if (!SPACE.test(text.slice(range.start, range.end))) joined.push(range);
    else if (before) joined[joined.length - 1] = { start: before.start, end: range.end };
    else start = range.start;
  }
  return joined;
}
