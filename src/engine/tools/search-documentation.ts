import { z } from "zod";
import type { DocumentationPage } from "../services.ts";
import { defineTool, type Tool } from "./tool.ts";

interface Section {
  readonly page: string;
  readonly heading: string;
  readonly text: string;
  readonly words: ReadonlyMap<string, number>;
}

const SHORTEST_WORD = 3;
const BEST_SECTIONS = 3;
/** A word in a heading says more about a section than one in its text. */
const HEADING_WEIGHT = 4;

/** Answers questions about the product from its own pages, by the words they share. */
export function searchDocumentation(pages: () => readonly DocumentationPage[]): Tool {
  let sections: Section[] | undefined;
  return defineTool({
    name: "search_documentation",
    description: "Searches the documentation of troupe, the software this agent runs on.",
    security_zone: "safe",
    retry: "safe",
    input: z.object({ query: z.string().min(1).describe("the question, or a few key words") }),
    execute: async ({ query }) => {
      sections ??= pages().flatMap(toSections);
      const found = rank(sections, query).slice(0, BEST_SECTIONS);
      if (found.length === 0)
        return { content: `No section of the documentation mentions: ${query}` };
      return { content: found.map(present).join("\n\n---\n\n") };
    },
  });
}

const present = ({ page, heading, text }: Section) => `Source: ${page} - ${heading}\n\n${text}`;

/** One section per heading of level 1 to 3; code blocks may hold `#` lines that are none. */
function toSections({ name, text }: DocumentationPage): Section[] {
  const sections: Section[] = [];
  let heading = name;
  let lines: string[] = [];
  let fenced = false;
  const finish = () => {
    const body = unwrap(lines).trim();
    if (body) sections.push({ page: name, heading, text: body, words: weigh(heading, body) });
    lines = [];
  };
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) fenced = !fenced;
    const title = fenced ? undefined : /^#{1,3} (.+)$/.exec(line)?.[1];
    if (title === undefined) {
      lines.push(line);
      continue;
    }
    finish();
    heading = title;
  }
  finish();
  return sections;
}

/** A line that neither is nor follows anything but plain prose goes on with the paragraph before it. */
const CONTINUES = /^ {0,3}[^\s|>#*`\d-]/;
const PROSE = /^ {0,3}[^\s|>#`]/;

/** Paragraphs as one line each: how a source file is wrapped is not the reader's business. */
function unwrap(lines: readonly string[]): string {
  let fenced = false;
  let text = "";
  let before = "";
  for (const line of lines) {
    const fence = line.startsWith("```");
    const joins = !fenced && !fence && CONTINUES.test(line) && PROSE.test(before);
    text += joins ? ` ${line.trim()}` : `\n${line}`;
    if (fence) fenced = !fenced;
    before = fence || fenced ? "" : line;
  }
  return text;
}

function weigh(heading: string, body: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const word of wordsOf(body)) words.set(word, (words.get(word) ?? 0) + 1);
  for (const word of wordsOf(heading)) words.set(word, (words.get(word) ?? 0) + HEADING_WEIGHT);
  return words;
}

/** Lower case, without a plural's s, so that "tokens" finds "token". */
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])
    .filter((word) => word.length >= SHORTEST_WORD)
    .map((word) => word.replace(/s$/, ""));

/** Rare words count more: each is weighed by how few sections have it. */
function rank(sections: readonly Section[], query: string): Section[] {
  const asked = [...new Set(wordsOf(query))].map((word) => {
    const holders = sections.filter((section) => section.words.has(word)).length;
    return { word, weight: holders === 0 ? 0 : Math.log(1 + sections.length / holders) };
  });
  const score = (section: Section) =>
    asked.reduce(
      (sum, { word, weight }) => sum + weight * Math.log1p(section.words.get(word) ?? 0),
      0,
    );
  return sections
    .map((section) => ({ section, score: score(section) }))
    .filter((entry) => entry.score > 0)
    .sort((left, right) => right.score - left.score)
    .map((entry) => entry.section);
}
