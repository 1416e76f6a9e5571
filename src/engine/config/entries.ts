import type { z } from "zod";
import { isSecretName, mapSecretQuery } from "../kernel/secret-query.ts";
import { errorAt, type Path, type Place, type Problem, warningAt } from "./problem.ts";
import { type Declared, type Entry, isClear, isSecret, type Section } from "./section.ts";
import { isClose } from "./unknown-name.ts";
import { expand, isVariable, mapTexts, type Variables } from "./variables.ts";

/** An entry as it stands in a document. */
export interface RawEntry {
  readonly section: Section;
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** What came along with the document, by the path that a field names. */
  readonly files: Readonly<Record<string, string>>;
  /** Where fields stand under another name than in `fields`. */
  readonly moved: ReadonlyMap<string, Path>;
  placeOf(path: Path): Place;
}

export interface ReadOptions {
  readonly variables: Variables;
  /** A field that nobody knows is an error: otherwise it is read over, with a warning. */
  readonly is_strict: boolean;
}

/** Fields under their one name, variables filled in, and what is wrong with them. */
export function readEntry(
  entry: RawEntry,
  options: ReadOptions,
): { readonly declared: Declared | undefined; readonly problems: readonly Problem[] } {
  const { section, name } = entry;
  const renamed = withFiles(entry, rename(entry));
  const placeOf = (path: Path): Place => {
    const moved = renamed.moved.get(String(path[0]));
    return entry.placeOf(moved ? [...moved, ...path.slice(1)] : path);
  };
  const title = `${section.key}.${name}`;
  const problems: Problem[] = [...renamed.problems];
  const level = options.is_strict ? errorAt : warningAt;
  for (const { path, message } of unknownFields(section.entry, renamed.fields)) {
    problems.push(level(placeOf(path), `${title}: ${message}`));
  }
  for (const { path, message } of clearSecrets(section, renamed.fields)) {
    problems.push(warningAt(placeOf(path), `${title}: ${message}`));
  }
  const filled = section.keeps_variables
    ? { value: renamed.fields, problems: [] }
    : expand(renamed.fields, {
        variables: options.variables,
        placeOf,
        isSecret: (path) => isSecret(section, path),
      });
  // There may be more of them than a call takes arguments.
  const found = problems.concat(filled.problems);
  const parsed = section.entry.safeParse(filled.value);
  if (!parsed.success) {
    const errors = parsed.error.issues.map(({ path, message }) =>
      errorAt(placeOf(path as Path), `${title}: ${messageOf(path as Path, message)}`),
    );
    return { declared: undefined, problems: found.concat(errors) };
  }
  const { [section.name_field ?? "name"]: _name, ...fields } = parsed.data as Entry;
  const { variables } = options;
  return { declared: { section: section.key, name, fields, variables, placeOf }, problems: found };
}

function messageOf(path: Path, message: string): string {
  const said = message.endsWith("received undefined") ? "is required" : message;
  return path.length === 0 ? said : `${path.join(".")}: ${said}`;
}

/** Aliases under the name they stand for; a null says nothing, as in requests. */
function rename({ section, fields, moved, placeOf }: RawEntry) {
  const { aliases, ignored } = section;
  const kept: Record<string, unknown> = {};
  const places = new Map(moved);
  // Under both names, the one that editions share counts, unless it says nothing.
  const isSaid = (key: string) => aliases[key] === undefined || !fields[aliases[key]];
  const said = Object.keys(fields).filter((key) => fields[key] !== null && isSaid(key));
  for (const key of said.filter((each) => ignored[each] === undefined)) {
    const name = aliases[key] ?? key;
    kept[name] = fields[key];
    if (name !== key) places.set(name, moved.get(key) ?? [key]);
  }
  const problems = Object.keys(fields)
    .filter((key) => ignored[key] !== undefined)
    .map((key) => warningAt(placeOf([key]), `${key}: ignored, as it ${ignored[key]}`));
  return { fields: section.prepare?.(kept) ?? kept, moved: places, problems };
}

type Renamed = ReturnType<typeof rename>;

/** A long text may stand in a file of its own. Only who reads the document from files can send them along. */
function withFiles({ section, name, files, placeOf }: RawEntry, renamed: Renamed): Renamed {
  const fields = { ...renamed.fields };
  const moved = new Map(renamed.moved);
  const problems = [...renamed.problems];
  for (const [field, target] of Object.entries(section.file_fields ?? {})) {
    const path = fields[field];
    delete fields[field];
    if (path === undefined) continue;
    const text = typeof path === "string" && Object.hasOwn(files, path) ? files[path] : undefined;
    if (text === undefined) {
      const message = `${section.key}.${name}: ${field}: "${path}" did not come with the document; the command line sends files that are beside it`;
      problems.push(errorAt(placeOf([field]), message));
    } else fields[target] = text;
    moved.set(target, [field]);
  }
  return { fields, moved, problems };
}

interface FieldProblem {
  readonly path: Path;
  readonly message: string;
}

/** Fields that no shape names, at any depth; what is free to hold anything is not looked into. */
function unknownFields(type: z.ZodType, value: unknown, path: Path = []): FieldProblem[] {
  const known = unwrap(type);
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) {
    const element = "element" in known ? (known.element as z.ZodType) : undefined;
    return value.flatMap((item, at) =>
      element ? unknownFields(element, item, [...path, at]) : [],
    );
  }
  const shape = "shape" in known ? (known.shape as Record<string, z.ZodType>) : undefined;
  if (!shape) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (field) return unknownFields(field, item, [...path, key]);
    return [{ path: [...path, key], message: unknownField([...path, key], Object.keys(shape)) }];
  });
}

/** The type that says what is inside: past what makes it optional, nullable or transformed. */
function unwrap(type: z.ZodType): z.ZodType {
  const { innerType, in: input } = type.def as { innerType?: z.ZodType; in?: z.ZodType };
  const inner = innerType ?? input;
  return inner ? unwrap(inner) : type;
}

function unknownField(path: Path, allowed: readonly string[]): string {
  const key = String(path.at(-1));
  const close = allowed.find((name) => isClose(name, key));
  const hint = close ? `did you mean "${close}"?` : `allowed here: ${allowed.join(", ")}`;
  return `${path.join(".")}: unknown field; ${hint}`;
}

/** A secret in a file is one in every copy of it. */
function clearSecrets(section: Section, fields: Entry): FieldProblem[] {
  const found: FieldProblem[] = [];
  mapTexts(fields, (text, path) => {
    const is_secret = isClear(text) && isSecret(section, path);
    const is_listed = section.secret_fields.some((field) => field.join(".") === path.join("."));
    if (is_secret && (is_listed || isSecretName(String(path.at(-1))))) {
      const message = `${path.join(".")}: a secret in clear; name a variable instead, as in \${MY_SECRET}`;
      found.push({ path, message });
    }
    if (/^(base_)?url$/.test(path.join("."))) found.push(...clearInQuery(path, text));
    return text;
  });
  return found;
}

function clearInQuery(path: Path, url: string): FieldProblem[] {
  const found: FieldProblem[] = [];
  mapSecretQuery(url, (value, parameter) => {
    const message = `${path.join(".")}: a secret in clear in its query; name a variable instead, as in ?${parameter}=\${MY_SECRET}`;
    // With two dollars, too, it is one: of the server's own variables, as an export has it.
    if (isClear(value) && !isVariable(value.slice(1))) found.push({ path, message });
    return value;
  });
  return found;
}
