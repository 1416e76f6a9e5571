import type { Token } from "marked";
import { lexBlocks } from "./markdown-lexer.ts";

/** A text that arrives bit by bit: what may still change, and how much is settled. */
export interface MarkdownStream {
  /** The block that is not finished yet. */
  readonly tail: string;
  /** The head of a block that was cut, without which its rest would read differently. */
  readonly reopening: string;
  /** The tail goes on with the block before it. */
  readonly continued: boolean;
  /** Characters that came so far. */
  readonly received: number;
}

/** Finished markdown: never parsed again. */
export interface MarkdownPiece {
  readonly source: string;
  /** Stands under the piece before it without an empty row. */
  readonly continued: boolean;
}

interface Fed {
  readonly stream: MarkdownStream;
  readonly finished: readonly MarkdownPiece[];
}

/** A block beyond these is cut, so that neither the screen nor the parser has to hold all of it. */
const MAX_TAIL_CHARACTERS = 6000;
const MAX_TAIL_LINES = 16;
const SLICE = 2000;

export const emptyStream: MarkdownStream = {
  tail: "",
  reopening: "",
  continued: false,
  received: 0,
};

export const hasText = ({ tail }: MarkdownStream): boolean => tail.trim() !== "";

/** The source of what is not finished, readable on its own. */
export const tailSource = ({ reopening, tail }: MarkdownStream): string => reopening + tail;

/** Takes in more text and hands out the blocks that it finished. */
export function feed(stream: MarkdownStream, text: string): Fed {
  let current = stream;
  const finished: MarkdownPiece[] = [];
  for (let from = 0; from < text.length; from += SLICE) {
    current = append(current, text.slice(from, from + SLICE));
    current = takeFinished(current, finished);
    while (isTooLong(current.tail)) current = takeForced(current, finished);
  }
  return { stream: current, finished };
}

/** What is left at the end of the text. */
export const finish = (stream: MarkdownStream): readonly MarkdownPiece[] =>
  hasText(stream) ? [{ source: tailSource(stream), continued: stream.continued }] : [];

/** A whole text in pieces. */
export function piecesOf(text: string): readonly MarkdownPiece[] {
  const { stream, finished } = feed(emptyStream, text);
  return [...finished, ...finish(stream)];
}

function append(stream: MarkdownStream, text: string): MarkdownStream {
  const tail = (stream.tail + text).replaceAll("\r\n", "\n");
  return { ...stream, tail, received: stream.received + tail.length - stream.tail.length };
}

/**
 * All blocks but the last are finished: nothing that follows can change them. The line that is still
 * being written does not count, since its first characters read like something else.
 */
function takeFinished(stream: MarkdownStream, finished: MarkdownPiece[]): MarkdownStream {
  const source = tailSource(stream);
  const blocks = lexBlocks(wholeLines(source));
  const last = blocks.findLastIndex(isBlock);
  const length = blocks.slice(0, Math.max(0, last)).reduce((sum, { raw }) => sum + raw.length, 0);
  if (length === 0) return stream;
  const settled = source.slice(0, length);
  if (settled.trim() !== "") finished.push({ source: settled, continued: stream.continued });
  const is_same_list = blocks[last]?.type === "list" && blocks[last - 1]?.type === "list";
  const continued = is_same_list || (settled.trim() === "" && stream.continued);
  return { ...stream, tail: source.slice(length), reopening: "", continued };
}

const wholeLines = (source: string): string => source.slice(0, source.lastIndexOf("\n") + 1);

const isBlock = ({ type }: Token): boolean => type !== "space";

const isTooLong = (tail: string): boolean =>
  tail.length > MAX_TAIL_CHARACTERS || (tail.match(/\n/g)?.length ?? 0) > MAX_TAIL_LINES;

function takeForced(stream: MarkdownStream, finished: MarkdownPiece[]): MarkdownStream {
  const source = tailSource(stream);
  const lines = wholeLines(source);
  const is_closed = isClosed(lines);
  const at = is_closed ? lines.length : Math.max(stream.reopening.length + 1, cutPoint(source));
  finished.push({ source: source.slice(0, at), continued: stream.continued });
  const reopening = is_closed ? "" : reopeningOf(source);
  return { ...stream, tail: source.slice(at), reopening, continued: !is_closed };
}

/** Whether the block has its end already, which an empty line or the end of a fence tells. */
function isClosed(lines: string): boolean {
  const blocks = lexBlocks(lines);
  const block = blocks.find(isBlock);
  if (!block) return false;
  if (isFence(block)) return /\n {0,3}(?:```+|~~~+)[ \t]*\n*$/.test(block.raw);
  return blocks.at(-1)?.type === "space" && blocks.length > 1;
}

const isFence = ({ type, raw }: Token): boolean =>
  type === "code" && /^ {0,3}(?:```|~~~)/.test(raw.replace(/^\n+/, ""));

/** The rest of a fence needs its fence again, the rest of a table its header. */
function reopeningOf(source: string): string {
  const block = lexBlocks(source).find(isBlock);
  const [first = "", second = ""] = source.replace(/^\n+/, "").split("\n", 2);
  if (block && isFence(block)) return `${first}\n`;
  return block?.type === "table" ? `${first}\n${second}\n` : "";
}

const LIST_ITEM = /\n(?=(?:[-*+]|\d{1,9}[.)])[ \t])/g;
const LINE_END = /\n/g;
const SPACE = / /g;

/** Preferably before an item of the list, else at the end of a line, of a word, or anywhere. */
function cutPoint(source: string): number {
  const half = Math.min(source.length, MAX_TAIL_CHARACTERS) / 2;
  for (const boundary of [LIST_ITEM, LINE_END, SPACE]) {
    const at = [...source.slice(0, MAX_TAIL_CHARACTERS).matchAll(boundary)].at(-1)?.index;
    if (at !== undefined && (at > half || boundary === LIST_ITEM)) return at + 1;
  }
  const middle = Math.floor(half);
  return isLowSurrogate(source.charCodeAt(middle)) ? middle - 1 : middle;
}

const isLowSurrogate = (code_unit: number): boolean => (code_unit & 0xfc00) === 0xdc00;
