interface Passage {
  readonly number: string;
  readonly source: string;
  readonly text: string;
}

const PASSAGE = /^\[(\d+)\] Source: (.+?)(?: \(characters \d+-\d+\))?\n\n([\s\S]*)$/;
const HEADING = /^#{1,6} .*\n*/;

/** What the demo model makes of a search: the best passage in full, the others by name. */
export function tellPassages(result: string): string {
  const parts = result.split("\n\n---\n\n");
  const passages = parts.flatMap(toPassage);
  const notes = parts.filter((part) => toPassage(part).length === 0);
  const best = passages.find(({ text }) => text !== "");
  if (!best) return result;
  const others = passages.filter(({ source }) => source !== best.source);
  const more = [...Map.groupBy(others, ({ source }) => source)].map(
    ([source, members]) => `${source} ${members.map(({ number }) => `[${number}]`).join("")}`,
  );
  const see = more.length > 0 ? [`See also: ${more.join("; ")}.`] : [];
  return [`From ${best.source} [${best.number}]:`, best.text, ...see, ...notes].join("\n\n");
}

/** A heading is told by the source already. */
function toPassage(part: string): Passage[] {
  const [, number, source, text] = PASSAGE.exec(part) ?? [];
  if (!number || !source || text === undefined) return [];
  return [{ number, source, text: unwrap(text.replace(HEADING, "").trim()) }];
}

/** A line that neither is nor follows anything but plain prose goes on with the paragraph before it. */
const CONTINUES = /^ {0,3}[^\s|>#*\d-]/;
const PROSE = /^ {0,3}[^\s|>#]/;

/** Paragraphs as one line each: how a source file is wrapped is not the reader's business. */
function unwrap(text: string): string {
  let fenced = false;
  let before = "";
  let unwrapped = "";
  for (const line of text.split("\n")) {
    const fence = line.startsWith("```");
    const joins = !fenced && !fence && CONTINUES.test(line) && PROSE.test(before);
    unwrapped += joins ? ` ${line.trim()}` : `\n${line}`;
    if (fence) fenced = !fenced;
    before = fence || fenced ? "" : line;
  }
  return unwrapped.trim();
}
