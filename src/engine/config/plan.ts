import { createHash } from "node:crypto";
import { eachInTurn, giveWay } from "../kernel/give-way.ts";
import { isObject } from "../kernel/json.ts";
import type { ConfigDocument } from "./document.ts";
import { errorAt, type Problem } from "./problem.ts";
import {
  type About,
  type Declared,
  type Entry,
  type Item,
  isSame,
  type Section,
  type SectionKey,
  type State,
} from "./section.ts";
import { SECTIONS } from "./sections.ts";

/** One field of one thing. A secret's value is never told, only that it changes. */
export interface FieldChange {
  /** With dots into what is nested. */
  readonly field: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly is_secret?: true;
}

export interface Change {
  readonly action: "create" | "update" | "delete";
  readonly section: SectionKey;
  readonly name: string;
  readonly fields: readonly FieldChange[];
}

/** What applying a document would do to what there is. */
export interface Plan {
  /** Changes when the document does, or what it would be applied to: who applies by it gets this plan or none. */
  readonly digest: string;
  readonly changes: readonly Change[];
  readonly unchanged: number;
  readonly next: State;
  readonly problems: readonly Problem[];
}

/** Pure: what is, what the document says, and what comes of it. `prune` removes what it does not name. */
export async function planChanges(
  state: State,
  document: ConfigDocument,
  { prune }: { readonly prune: boolean },
): Promise<Plan> {
  const world = Object.fromEntries(
    SECTIONS.map(({ key }) => [key, new Map(state[key])]),
  ) as unknown as Record<SectionKey, Map<string, Item>>;
  // Lists of lists: one of them may be longer than a call takes arguments.
  const found: (readonly Problem[])[] = [];
  for (const section of SECTIONS) found.push(await declare(section, state, world, document, prune));
  const declared = new Map(document.declared.map((each) => [keyOf(each), each]));
  for (const section of SECTIONS) {
    for (const item of world[section.key].values()) {
      const own = declared.get(keyOf({ section: section.key, ...item }));
      const about = aboutOf(section, item, state, own);
      if (about.declared || prune) found.push(checkItem(section, item, world, about));
      await giveWay();
    }
  }
  const changes = await compareStates(state, world);
  const total = document.declared.length;
  const touched = new Set(changes.map(keyOf));
  return {
    digest: await digestOf(state, world, changes, document),
    changes,
    unchanged: total - document.declared.filter((each) => touched.has(keyOf(each))).length,
    next: world,
    problems: found.flat(),
  };
}

export const keyOf = ({ section, name }: { section: SectionKey; name: string }): string =>
  `${section}/${name}`;

/** Puts what the document says of a section into the world, and takes out what it leaves out. */
async function declare(
  section: Section,
  state: State,
  world: Record<SectionKey, Map<string, Item>>,
  { declared, named, sections }: ConfigDocument,
  prune: boolean,
): Promise<Problem[]> {
  const items = world[section.key];
  const mine = declared.filter((each) => each.section === section.key);
  if (prune && sections.has(section.key)) keepNamed(section.key, items, named);
  const problems: Problem[] = [];
  for (const each of mine) {
    if (items.get(each.name)?.is_system) problems.push(belongsToSystem(section, each));
    else items.set(each.name, section.toItem(each, world));
    await giveWay();
  }
  return [...problems, ...(section.settle?.(items, mine, state[section.key]) ?? [])];
}

function keepNamed(
  section: SectionKey,
  items: Map<string, Item>,
  named: ConfigDocument["named"],
): void {
  for (const { name, is_system } of items.values()) {
    if (!named.has(keyOf({ section, name })) && !is_system) items.delete(name);
  }
}

const belongsToSystem = ({ noun }: Section, { name, placeOf }: Declared): Problem =>
  errorAt(placeOf([]), `${noun} "${name}" belongs to the system`);

const aboutOf = (
  section: Section,
  item: Item,
  state: State,
  declared: Declared | undefined,
): About => ({
  declared,
  before: state[section.key].get(item.name),
  placeOf: (path) => declared?.placeOf(path),
});

const checkItem = (section: Section, item: Item, world: State, about: About): Problem[] =>
  section.check(item, world, about).map((problem) => ({
    ...problem,
    message: `${section.key}.${item.name}: ${problem.message}`,
  }));

/** What would have to change for one state to become the other. */
export const compareStates = async (before: State, after: State): Promise<Change[]> =>
  (await eachInTurn(SECTIONS, ({ key }) => compare(key, before, after))).flat();

async function compare(section: SectionKey, state: State, world: State): Promise<Change[]> {
  const changes: Change[] = [];
  for (const [name, item] of world[section]) {
    const before = state[section].get(name);
    const fields = compareItems(before, item);
    if (!before) changes.push({ action: "create", section, name, fields });
    else if (fields.length > 0) changes.push({ action: "update", section, name, fields });
    await giveWay();
  }
  for (const [name, item] of state[section]) {
    if (world[section].has(name)) continue;
    const fields = compareFields(item.entry, {});
    changes.push({ action: "delete", section, name, fields });
  }
  return changes;
}

function compareItems(before: Item | undefined, after: Item): FieldChange[] {
  const secrets = Object.entries(after.secrets)
    .filter(([field, value]) => before?.secrets[field] !== value)
    .map(([field]) => ({ field, is_secret: true as const }));
  return [...compareFields(before?.entry ?? {}, after.entry), ...secrets];
}

function compareFields(before: Entry, after: Entry, prefix = ""): FieldChange[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].flatMap((key) => {
    const [old, now] = [before[key], after[key]];
    const field = prefix + key;
    if (isSame(old, now)) return [];
    if (isObject(old) && isObject(now)) return compareFields(old, now, `${field}.`);
    return [
      {
        field,
        ...(old === undefined ? {} : { before: old }),
        ...(now === undefined ? {} : { after: now }),
      },
    ];
  });
}

const DIGEST_CHARACTERS = 32;

/** What a plan was made on and what it comes to. */
async function digestOf(
  state: State,
  next: State,
  changes: readonly Change[],
  { declared }: ConfigDocument,
): Promise<string> {
  const hash = createHash("sha256");
  const add = (value: unknown) => {
    hash.update(`${JSON.stringify(value)}\n`);
    return giveWay();
  };
  for (const { key } of SECTIONS) {
    const items = [...state[key].values()].sort((one, other) => (one.name < other.name ? -1 : 1));
    for (const { name, entry, seal } of items) await add([key, name, entry, seal]);
  }
  for (const change of changes) await add(change);
  for (const { section, name, fields } of declared)
    await add([section, name, fields, next[section].get(name)?.secrets]);
  return hash.digest("hex").slice(0, DIGEST_CHARACTERS);
}
