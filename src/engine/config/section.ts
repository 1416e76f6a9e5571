import type { z } from "zod";
import type { Context } from "../context.ts";
import { parametersIn } from "../http-tools/template.ts";
import type { SecretBox } from "../kernel/secrets.ts";
import type { Reads } from "../store.ts";
import type { Path, Place, Problem } from "./problem.ts";
import { hasVariable, type Variables } from "./variables.ts";

export type SectionKey =
  | "models"
  | "mcp_servers"
  | "tools"
  | "agents"
  | "schemas"
  | "knowledge_graphs";

/** Fields as a document has them: in one order, in one form, without those that are as by default. */
export type Entry = Readonly<Record<string, unknown>>;

/** One thing that a document describes. */
export interface Item {
  readonly name: string;
  readonly entry: Entry;
  /** By field: what a document may bring and an export never shows. One that is absent is kept. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Changes whenever a secret does, and tells nothing of it. */
  readonly seal?: string | undefined;
  /** Belongs to the installation: neither exported nor changed nor removed. */
  readonly is_system?: boolean;
}

export type Items = ReadonlyMap<string, Item>;

/** Everything a document can describe, as it is or as it would be. */
export type State = Readonly<Record<SectionKey, Items>>;

/** An entry as a document says it, with its fields under their one name. */
export interface Declared {
  readonly section: SectionKey;
  readonly name: string;
  readonly fields: Entry;
  /** For a section that keeps its variables. */
  readonly variables: Variables;
  placeOf(path: Path): Place;
}

/** What is known of an item that is checked. */
export interface About {
  /** As it is now. */
  readonly before: Item | undefined;
  /** Absent for one that the document does not name: it only must not lose what it refers to. */
  readonly declared: Declared | undefined;
  placeOf(path: Path): Place | undefined;
}

/** A kind of thing in a document: one entry of the table in `sections.ts`. */
export interface Section {
  readonly key: SectionKey;
  /** In messages: an agent, a schema. */
  readonly noun: string;
  /** What its entries are called by; `name` when absent. */
  readonly name_field?: string;
  /** Its changes are made one by one after all others, and one that fails undoes nothing. */
  readonly is_separate?: true;
  /** What may be written, built from the feature's own input. */
  readonly entry: z.ZodObject;
  /** Other names of fields, as editions have them. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Fields that are read over, and why. */
  readonly ignored: Readonly<Record<string, string>>;
  /** Brings fields that may be written in several ways into the one that `entry` describes. */
  readonly prepare?: (fields: Entry) => Entry;
  /** Fields that name a file, and the field that gets what is in it. */
  readonly file_fields?: Readonly<Record<string, string>>;
  /** Fields that may also be a map, which an earlier layout or `prepare` reads. */
  readonly open_fields?: readonly string[];
  /** Ways to fields that hold secrets, `*` for any key: better a variable, and kept where it is not set. */
  readonly secret_fields: readonly Path[];
  /** Keeps `${NAME}` as it is written: the section stores what it stands for by itself. */
  readonly keeps_variables?: true;
  /**
   * `isNamed`, for a plan: what the document names is read whole, even what is too much for an export; of
   * what is large, the name of another suffices.
   */
  list(
    read: Reads,
    secrets: SecretBox,
    options: { readonly isNamed: ((name: string) => boolean) | undefined },
  ): Promise<readonly Item[]>;
  /** An entry as a document writes it, where that is another form. */
  toFields?(entry: Entry): Entry;
  /** The form that `list` gives, so that the two can be compared. Looks at what stands before its section. */
  toItem(declared: Declared, world: State): Item;
  /** Completes what one entry cannot know of the others; `items` are all as they would be. */
  settle?(items: Map<string, Item>, declared: readonly Declared[], before: Items): Problem[];
  /** References that lead nowhere, and what else the fields alone don't show. */
  check(item: Item, world: State, about: About): Problem[];
  /** What takes a service to find out; a plan asks for it. Throws `bad_request`. */
  verify?(ctx: Context, item: Item): Promise<void>;
  /** Why it can't be removed, beyond what `check` sees; a plan asks for it. Throws as the removal would. */
  verifyRemoval?(read: Reads, name: string): Promise<void>;
  create(ctx: Context, item: Item): Promise<void>;
  update(ctx: Context, item: Item, before: Item): Promise<void>;
  remove(ctx: Context, name: string): Promise<void>;
}

/** The fields, beside the name, that say something: in the zod's order, and not what a default says anyway. */
export function toEntry(
  { entry }: { readonly entry: z.ZodObject },
  fields: Entry,
  defaults: Entry = {},
): Entry {
  const kept = Object.keys(entry.shape).filter(
    (key) => key !== "name" && fields[key] !== undefined && !isSame(fields[key], defaults[key]),
  );
  return Object.fromEntries(kept.map((key) => [key, fields[key]]));
}

/** Whether two values of JSON say the same; the order of keys says nothing. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one).filter((key) => (one as Entry)[key] !== undefined);
  const others = Object.keys(other).filter((key) => (other as Entry)[key] !== undefined);
  return (
    keys.length === others.length &&
    keys.every((key) => isSame((one as Entry)[key], (other as Entry)[key]))
  );
}

/** One that cannot be read any more differs from every other. */
export function openSecret(secrets: SecretBox, sealed: string): string {
  try {
    return secrets.open(sealed);
  } catch {
    return "";
  }
}

export const isSecret = ({ secret_fields }: Pick<Section, "secret_fields">, path: Path): boolean =>
  secret_fields.some(
    (field) =>
      field.length === path.length && field.every((step, at) => step === "*" || step === path[at]),
  );

/** A text that holds its value itself: it names neither a variable nor what a model gives. */
export const isClear = (text: string): boolean =>
  text !== "" && !hasVariable(text) && parametersIn(text).length === 0;
