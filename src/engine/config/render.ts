import { Document, isScalar, isSeq, type Node, Scalar, visit, type YAMLMap } from "yaml";

const HEAD = ` troupe configuration, without secrets. \`troupe config plan FILE\` says what applying it would change.`;

/** The entries of each section, in their order. */
export type YamlDocument = Readonly<Record<string, readonly unknown[]>>;

/** A document as YAML: the same bytes for the same document, wherever and whenever. */
export function renderYaml(sections: YamlDocument): string {
  const document = new Document(sections);
  document.commentBefore = HEAD;
  visit(document, { Scalar: (_key, node) => setStyle(node) });
  separate(document.contents as unknown as YAMLMap);
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** An empty line before each section and each entry but the first. */
function separate(sections: YAMLMap): void {
  for (const [at, { key, value }] of sections.items.entries()) {
    if (at > 0) (key as Node).spaceBefore = true;
    const entries = isSeq(value) ? value.items.slice(1) : [];
    for (const entry of entries) (entry as Node).spaceBefore = true;
  }
}

/** What neither a block nor a plain text would keep as it is: controls, odd line ends, outer blanks. */
const INVISIBLE = /[^\P{C}\n]|[\u0085\u2028\u2029\uFEFF]/u;
const OUTER_BLANK = /^\s|[ \t]$/;
const BLANK_BEFORE_END = /[ \t]\n/;

/** Prompts are read as they are written; what that would not keep is quoted. */
function setStyle(node: Scalar): void {
  if (!isScalar(node) || typeof node.value !== "string") return;
  const text = node.value;
  if (text === "<<" || INVISIBLE.test(text) || OUTER_BLANK.test(text))
    node.type = Scalar.QUOTE_DOUBLE;
  else if (!text.includes("\n")) return;
  else node.type = BLANK_BEFORE_END.test(text) ? Scalar.QUOTE_DOUBLE : Scalar.BLOCK_LITERAL;
}
