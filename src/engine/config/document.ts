import { badRequest } from "../kernel/error.ts";
import { eachInTurn } from "../kernel/give-way.ts";
import { LIMITS } from "../kernel/limits.ts";
import { type RawEntry, type ReadOptions, readEntry } from "./entries.ts";
import { readLayout } from "./layout.ts";
import { describeProblem, errorAt, type Problem } from "./problem.ts";
import type { Declared, SectionKey } from "./section.ts";
import type { Variables } from "./variables.ts";
import { placeFinder } from "./yaml-places.ts";
import { parseInThread, type RunInThread } from "./yaml-thread.ts";

/** One file of a document. */
export interface SourceFile {
  /** As its author knows it; absent for what came over HTTP. */
  readonly file?: string | undefined;
  readonly text: string;
  /** What its entries name as files, by the path they name. */
  readonly files?: Readonly<Record<string, string>> | undefined;
}

/** Reads the document of the process itself, with the environment of the process. */
export type ReadServedDocument = () => Promise<{
  readonly documents: readonly SourceFile[];
  readonly variables: Variables;
}>;

/** What one document says, from one file or several. */
export interface ConfigDocument {
  readonly declared: readonly Declared[];
  /** By section and name: also what it says something wrong of. */
  readonly named: ReadonlySet<string>;
  /** The sections it speaks of: only there it can leave something out. */
  readonly sections: ReadonlySet<SectionKey>;
  readonly problems: readonly Problem[];
}

/** Throws `bad_request` for a document that is too large to be looked at. `run` is for what takes long. */
export async function readDocument(
  sources: readonly SourceFile[],
  options: ReadOptions,
  run?: RunInThread,
): Promise<ConfigDocument> {
  const size = sources.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (size > LIMITS.config_document_bytes) {
    throw badRequest(`the document is larger than ${LIMITS.config_document_bytes} bytes`);
  }
  const parsed = await eachInTurn(sources, ({ file, text }) => parseInThread(run, { file, text }));
  const layouts = parsed.map((yaml, at) => {
    const { file, files = {} } = sources[at] ?? {};
    return readLayout(yaml.value, { files, placeOf: placeFinder(yaml, file) }, options);
  });
  const entries = layouts.flatMap((layout) => layout.entries);
  const read = await eachInTurn(entries, (entry) => readEntry(entry, options));
  return {
    declared: read.flatMap(({ declared }) => declared ?? []),
    named: new Set(entries.map(({ section, name }) => `${section.key}/${name}`)),
    sections: new Set(layouts.flatMap(({ sections }) => sections)),
    problems: [
      ...parsed.flatMap(({ problems }) => problems),
      ...layouts.flatMap(({ problems }) => problems),
      ...duplicates(entries),
      ...read.flatMap(({ problems }, at) => problems.map((each) => toOwn(each, entries[at]))),
    ],
  };
}

/** What is wrong with something that is applied by itself stops nothing else. */
const toOwn = (problem: Problem, entry: RawEntry | undefined): Problem =>
  entry?.section.is_separate ? { ...problem, is_separate: true } : problem;

function duplicates(entries: readonly RawEntry[]): Problem[] {
  const first = new Map<string, RawEntry>();
  return entries.flatMap((entry) => {
    const key = `${entry.section.key}.${entry.name}`;
    const earlier = first.get(key);
    if (!earlier) first.set(key, entry);
    if (!earlier) return [];
    const where = describeProblem(errorAt(earlier.placeOf([]), "")).replace(/: $/, "");
    return errorAt(entry.placeOf([]), `${key}: is there already, at ${where}`);
  });
}
