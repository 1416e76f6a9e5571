import { Document, isScalar, Scalar, visit } from "yaml";
import type { Item, State } from "./section.ts";
import { SECTIONS } from "./sections.ts";
import { escapeText, mapTexts } from "./variables.ts";

const HEAD =
  " troupe configuration: `troupe config apply` makes it so, `troupe config plan` says what that would change.\n Secrets are not part of it.";

/** A state as the document that describes it: the same bytes for the same state, wherever and whenever. */
export function renderDocument(state: State): string {
  const sections = SECTIONS.flatMap((section) => {
    const items = [...state[section.key].values()].filter(({ is_system }) => !is_system);
    const entries = items.sort(byName).map((item) => entryOf(item, section.keeps_variables));
    return entries.length > 0 ? [[section.key, entries] as const] : [];
  });
  const document = new Document(Object.fromEntries(sections));
  document.commentBefore = HEAD;
  visit(document, { Scalar: (_key, node) => setStyle(node) });
  for (const pair of (
    document.contents as unknown as { items: { key: Scalar; value: { items: Scalar[] } }[] }
  ).items) {
    pair.key.spaceBefore = true;
    for (const item of pair.value.items.slice(1)) item.spaceBefore = true;
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

const byName = (one: Item, other: Item): number => (one.name < other.name ? -1 : 1);

const entryOf = ({ name, entry }: Item, keeps_variables: true | undefined): unknown =>
  keeps_variables ? { name, ...entry } : mapTexts({ name, ...entry }, escapeText);

/** Prompts are read as they are written; what a block would not keep is quoted. */
function setStyle(node: Scalar): void {
  if (!isScalar(node) || typeof node.value !== "string") return;
  const is_block =
    /\n/.test(node.value) &&
    !/[^\P{C}\n]|[\t ]\n|^[\s]|[\u2028\u2029\u0085]|[\t ]$/u.test(node.value);
  if (is_block) node.type = Scalar.BLOCK_LITERAL;
  else if (/[^\P{C}]|[\u2028\u2029\u0085]|^\s|\s$/u.test(node.value))
    node.type = Scalar.QUOTE_DOUBLE;
}
