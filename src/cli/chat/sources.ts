import { z } from "zod";
import { Citation, citedIn, placeInFile } from "#engine/knowledge/citation.ts";
import { sanitizeLine } from "./sanitize.ts";
import { cutLine, type Line, span } from "./styled-line.ts";

/** What a session's answers can name, and what the present turn has made of it. */
export interface Cited {
  /** By number. */
  readonly known: ReadonlyMap<number, Citation>;
  /** Numbers that searches of this turn gave. */
  readonly found: readonly number[];
  /** What the turn said. */
  readonly text: string;
  /** Something was said since the last search: that may rest on what it found. */
  readonly is_answered: boolean;
}

export const nothingCited: Cited = { known: new Map(), found: [], text: "", is_answered: false };

export const nextTurn = ({ known }: Cited): Cited => ({ ...nothingCited, known });

/** `given` is a tool result's `citations`: of an older server, or of another tool, there are none. */
export function withFound(cited: Cited, given: unknown): Cited {
  const { data: found = [] } = Citations.safeParse(given);
  if (found.length === 0) return cited;
  const known = new Map([...cited.known, ...found.map((each) => [each.number, each] as const)]);
  const numbers = [...cited.found, ...found.map(({ number }) => number)];
  return { ...cited, known, found: numbers, is_answered: false };
}

const Citations = z.array(Citation);

export const withSaid = (cited: Cited, text: string): Cited => ({
  ...cited,
  text: `${cited.text}\n${text}`,
  is_answered: text.trim() !== "",
});

/** What the turn's answer names by number; of one that names nothing, all that was found for it. */
export function sourcesOf({ known, found, text, is_answered }: Cited): readonly Citation[] {
  if (!is_answered) return [];
  const all = [...known.values()].sort((left, right) => left.number - right.number);
  const wanted = new Set(found);
  return citedIn(
    text,
    all,
    all.filter(({ number }) => wanted.has(number)),
  );
}

const SOURCES_SHOWN = 10;
const DIM = { dim: true } as const;

/** A row for each place: `[1] [4] router.pdf · page 2, Router > Reset`. */
export function sourceLines(sources: readonly Citation[], columns: number): Line[] {
  const places = placesOf(sources);
  const rows = places
    .slice(0, SOURCES_SHOWN)
    .map(({ marks, place }): Line => [span(`${marks} `, { colour: "cyan" }), span(place, DIM)]);
  const more = places.length - rows.length;
  const all = more > 0 ? [...rows, [span(`and ${more} more`, DIM)]] : rows;
  return [[span("Sources", { bold: true })], ...all].map((row) => cutLine(row, columns));
}

/** As Markdown; what documents are called is text, whatever it looks like. */
export const sourcesMarkdown = (sources: readonly Citation[]): string =>
  [
    "**Sources**\n",
    ...placesOf(sources).map(({ marks, place }) => `- ${marks} ${escaped(place)}`),
  ].join("\n");

const escaped = (text: string): string => text.replace(/[\\`*_[\]<>]/g, "\\$&");

/** Passages of the same page and headings stand together. */
function placesOf(sources: readonly Citation[]): { marks: string; place: string }[] {
  const groups = Map.groupBy(sources, placeText);
  return [...groups].map(([place, members]) => ({
    marks: members.map(({ number }) => `[${number}]`).join(" "),
    place,
  }));
}

const placeText = (citation: Citation): string =>
  [citation.file_name, placeInFile(citation)].map(sanitizeLine).filter(Boolean).join(" · ");
