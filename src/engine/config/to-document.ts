import { eachInTurn } from "../kernel/give-way.ts";
import type { YamlDocument } from "./render.ts";
import { type Entry, type Item, isSecret, type Section, type State } from "./section.ts";
import { SECTIONS } from "./sections.ts";
import { escapeText, mapTexts } from "./variables.ts";

/** A state as the document that describes it. */
export async function toDocument(state: State): Promise<YamlDocument> {
  const document: Record<string, readonly unknown[]> = {};
  for (const section of SECTIONS) {
    const items = [...state[section.key].values()].filter(({ is_system }) => !is_system);
    const entries = await eachInTurn(items.sort(byName), (item) => entryOf(section, item));
    if (entries.length > 0) document[section.key] = entries;
  }
  return document;
}

const byName = (one: Item, other: Item): number => (one.name < other.name ? -1 : 1);

/** A variable that stands for a secret stays one. */
function entryOf(section: Section, { name, entry }: Item): unknown {
  const { name_field = "name", toFields = (fields: Entry) => fields } = section;
  const fields = { [name_field]: name, ...toFields(entry) };
  if (section.keeps_variables) return fields;
  return mapTexts(fields, (text, path) => (isSecret(section, path) ? text : escapeText(text)));
}
