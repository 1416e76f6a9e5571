import { z } from "zod";
import type { NamedChunk } from "./chunk.ts";

/** A passage that the model was given under a number, and where a reader finds it. */
export const Citation = z.object({
  /** What the answer names it by, as in `[3]`; the same passage has the same number all session long. */
  number: z.int(),
  file_name: z.string(),
  file_id: z.string(),
  /** The knowledge base's name. */
  knowledge_base: z.string(),
  /** From 1; of files that have pages. */
  page: z.int().optional(),
  /** The headings above it, outermost first. */
  heading_path: z.array(z.string()).optional(),
  /** Characters of the file's extracted text: from `start` up to, and without, `end`. */
  start: z.int(),
  end: z.int(),
  /** How the passage begins, on one line. */
  excerpt: z.string(),
});
export type Citation = z.infer<typeof Citation>;

/** The numbers that a session's passages have, whichever of its agents found them. */
export interface CitationRegister {
  /** Under the number a passage has already, or else the next one. */
  cite(passage: NamedChunk): Citation;
  /** Takes in what was cited before. */
  add(citations: readonly Citation[]): void;
}

export function createCitationRegister(): CitationRegister {
  const numbers = new Map<string, number>();
  let last = 0;
  const put = (place: Place, number: number) => {
    numbers.set(keyOf(place), number);
    last = Math.max(last, number);
    return number;
  };
  return {
    // Counted at once, not when the result is recorded: another search may run at the same time.
    cite: (passage) => toCitation(passage, numbers.get(keyOf(passage)) ?? put(passage, last + 1)),
    add(citations) {
      for (const citation of citations) put(citation, citation.number);
    },
  };
}

type Place = Pick<Citation, "file_id" | "start" | "end">;

const keyOf = ({ file_id, start, end }: Place): string => `${file_id} ${start} ${end}`;

const toCitation = (passage: NamedChunk, number: number): Citation => ({
  number,
  ...toSource(passage),
  excerpt: excerptOf(passage.text),
});

/** Where a passage stands. */
export function toSource(passage: NamedChunk): Omit<Citation, "number" | "excerpt"> {
  const { file_name, file_id, knowledge_base, page, start, end } = passage;
  const heading_path = passage.headings.filter(Boolean);
  return {
    file_name,
    file_id,
    knowledge_base,
    ...(page === undefined ? {} : { page }),
    ...(heading_path.length === 0 ? {} : { heading_path }),
    start,
    end,
  };
}

/** Page and headings, as far as there are any: `page 3, Router > Reset`. */
export const placeInFile = ({
  page,
  heading_path = [],
}: Pick<Citation, "page" | "heading_path">): string =>
  [page === undefined ? "" : `page ${page}`, heading_path.join(" > ")].filter(Boolean).join(", ");

const EXCERPT_CHARACTERS = 240;

/** How a passage begins, on one line. */
export function excerptOf(text: string): string {
  const line = text
    .slice(0, EXCERPT_CHARACTERS * 2)
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= EXCERPT_CHARACTERS) return line;
  const cut = line.slice(0, EXCERPT_CHARACTERS).replace(/[\uD800-\uDBFF]$/, "");
  return `${cut.replace(/\s+\S{0,20}$/, "")}…`;
}

/** `[3]`, `[1, 2]` or `[1-3]`, also as a footnote or in the brackets of other scripts; no link's text. */
const MARK = /[[【]\^?(\d{1,6}(?:\s*[,;–-]\s*\d{1,6})*)(?:†[^\]】\n]{0,40})?[\]】](?!\()/g;
const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;

/** The passages that a text names by their numbers; `otherwise` for one that names none. */
export function citedIn(
  text: string,
  citations: readonly Citation[],
  otherwise: readonly Citation[] = citations,
): readonly Citation[] {
  const marked = new Set(
    [...text.replace(CODE, " ").matchAll(MARK)].flatMap(([, numbers = ""]) => spanned(numbers)),
  );
  const cited = citations.filter(({ number }) => marked.has(number));
  return cited.length > 0 ? cited : otherwise;
}

/** `1-3` is 1, 2 and 3. */
const spanned = (numbers: string): number[] =>
  numbers.split(/[,;]/).flatMap((part) => {
    const [from = 0, to = from] = part.split(/[–-]/).map(Number);
    return Array.from({ length: Math.min(to - from + 1, SPAN_MAX) }, (_, at) => from + at);
  });

const SPAN_MAX = 50;
