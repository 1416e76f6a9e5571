import { isObject } from "../kernel/json.ts";
import { flattenAgent } from "./earlier-layout.ts";
import type { RawEntry, ReadOptions } from "./entries.ts";
import { errorAt, type Path, type Place, type Problem, warningAt } from "./problem.ts";
import { PROCESS_KEYS } from "./process-keys.ts";
import type { Section, SectionKey } from "./section.ts";
import { SECTIONS, sectionOf } from "./sections.ts";
import { listed } from "./unknown-name.ts";

/** What a file holds, entry by entry, whatever layout it has. */
export interface Layout {
  readonly entries: readonly RawEntry[];
  /** The sections that it names, also without an entry. */
  readonly sections: readonly SectionKey[];
  readonly problems: readonly Problem[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Sections are lists of entries with a name, or maps of entries by name (contract 4.11). */
export function readLayout(
  value: unknown,
  source: Source,
  { is_strict }: Pick<ReadOptions, "is_strict">,
): Layout {
  const { placeOf } = source;
  if (value === null || value === undefined) return { entries: [], sections: [], problems: [] };
  if (!isObject(value)) {
    const message = `a document is a map of sections; there ${listed(SECTIONS.map(({ key }) => key))}`;
    return { entries: [], sections: [], problems: [errorAt(placeOf([]), message)] };
  }
  const found = SECTIONS.filter(({ key }) => Object.hasOwn(value, key));
  const read = found.map((section) => readSection(section, value[section.key], source));
  return {
    entries: read.flatMap(({ entries }) => entries.flatMap(flatten)),
    sections: found.map(({ key }) => key),
    problems: [
      ...unknownSections(value, placeOf, is_strict),
      ...read.flatMap(({ problems }) => problems),
    ],
  };
}

/** Keys that begin with `x-` are the author's own, for anchors. */
function unknownSections(value: Fields, placeOf: Source["placeOf"], is_strict: boolean): Problem[] {
  const names = SECTIONS.map(({ key }) => key as string);
  const level = is_strict ? errorAt : warningAt;
  return Object.keys(value)
    .filter((key) => !names.includes(key) && !PROCESS_KEYS.has(key) && !key.startsWith("x-"))
    .map((key) => level(placeOf([key]), `${key}: unknown section; there ${listed(names)}`));
}

interface Source {
  readonly files: RawEntry["files"];
  placeOf(path: Path): Place;
}

interface SectionLayout {
  readonly entries: readonly RawEntry[];
  readonly problems: readonly Problem[];
}

function readSection(section: Section, value: unknown, source: Source): SectionLayout {
  const base: Path = [section.key];
  if (value === null) return { entries: [], problems: [] };
  // An earlier layout put the models one level deeper.
  if (isObject(value) && Array.isArray(value.providers)) {
    return readList(section, value.providers, [...base, "providers"], source);
  }
  if (Array.isArray(value)) return readList(section, value, base, source);
  if (isObject(value)) return readMap(section, value, base, source);
  const message = `${section.key}: must be a list of entries, or a map of them by name`;
  return { entries: [], problems: [errorAt(source.placeOf(base), message)] };
}

function readList(
  section: Section,
  list: readonly unknown[],
  base: Path,
  source: Source,
): SectionLayout {
  const { placeOf } = source;
  const field = nameField(section);
  const rows = list.map((value, at) => {
    const path = [...base, at];
    const name = isObject(value) ? value[field] : undefined;
    if (!isObject(value))
      return errorAt(placeOf(path), `${section.key}: an entry is a map of fields`);
    if (typeof name === "string") return entryOf(section, name, value, path, source);
    const message = `${section.key}: ${field}: ${name === undefined || name === null ? "is required" : "must be text"}`;
    return errorAt(placeOf(name === undefined ? path : [...path, field]), message);
  });
  return parted(rows);
}

function readMap(section: Section, map: Fields, base: Path, source: Source): SectionLayout {
  const { placeOf } = source;
  const field = nameField(section);
  const rows = Object.entries(map).map(([name, value]) => {
    const path = [...base, name];
    const fields = value === null ? {} : value;
    if (!isObject(fields))
      return errorAt(placeOf(path), `${section.key}.${name}: must be a map of fields`);
    if (fields[field] !== undefined && fields[field] !== name) {
      const message = `${section.key}.${name}: ${field}: differs from the key it stands under`;
      return errorAt(placeOf([...path, field]), message);
    }
    return entryOf(section, name, { [field]: name, ...fields }, path, source);
  });
  return parted(rows);
}

/** An agent of the earlier layout, and what is described inside it. */
function flatten(entry: RawEntry): RawEntry[] {
  if (entry.section.key !== "agents") return [entry];
  const { fields, moved, nested } = flattenAgent(entry.fields);
  const others = nested.map(({ section, name, fields, path }) => ({
    ...entry,
    section: sectionOf(section),
    name,
    fields,
    moved: new Map(),
    placeOf: (more: Path) => entry.placeOf([...path, ...more]),
  }));
  return [...others, { ...entry, fields, moved }];
}

const nameField = ({ name_field = "name" }: Section): string => name_field;

const entryOf = (
  section: Section,
  name: string,
  fields: Fields,
  path: Path,
  { files, placeOf }: Source,
): RawEntry => ({
  section,
  name,
  fields,
  files,
  moved: new Map(),
  placeOf: (more) => placeOf([...path, ...more]),
});

const parted = (rows: readonly (RawEntry | Problem)[]): SectionLayout => ({
  entries: rows.filter((row): row is RawEntry => "section" in row),
  problems: rows.filter((row): row is Problem => "level" in row),
});
