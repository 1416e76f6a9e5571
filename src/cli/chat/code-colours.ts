import type { Element, Root } from "hast";
import { common, createLowlight } from "lowlight";
import { type Line, type Span, type Style, span } from "./styled-line.ts";

const lowlight = createLowlight(common);

/** Longer code is shown without colours: colouring it would hold up the screen. */
const MAX_COLOURED_CHARACTERS = 20_000;

const CLASS_STYLES: Readonly<Record<string, Style>> = {
  keyword: { colour: "magenta" },
  literal: { colour: "yellow" },
  number: { colour: "yellow" },
  symbol: { colour: "yellow" },
  string: { colour: "green" },
  regexp: { colour: "green" },
  addition: { colour: "green" },
  deletion: { colour: "red" },
  comment: { dim: true, italic: true },
  quote: { dim: true, italic: true },
  meta: { dim: true },
  title: { colour: "blue" },
  section: { colour: "blue", bold: true },
  name: { colour: "blue" },
  attr: { colour: "cyan" },
  attribute: { colour: "cyan" },
  property: { colour: "cyan" },
  built_in: { colour: "cyan" },
  type: { colour: "cyan" },
  "selector-tag": { colour: "magenta" },
  "selector-class": { colour: "blue" },
  strong: { bold: true },
  emphasis: { italic: true },
};

/** The lines of a piece of code, coloured when the language is known. */
export function codeLines(code: string, language: string | undefined): Line[] {
  const name =
    language
      ?.trim()
      .split(/[\s{,:]/)[0]
      ?.toLowerCase() ?? "";
  if (name === "" || !lowlight.registered(name) || code.length > MAX_COLOURED_CHARACTERS) {
    return code.split("\n").map((line) => [span(line)]);
  }
  return splitAtLineFeeds(spansOf(lowlight.highlight(name, code), {}));
}

const spansOf = (node: Root | Element, style: Style): Span[] =>
  node.children.flatMap((child) => {
    if (child.type === "text") return [span(child.value, style)];
    return child.type === "element" ? spansOf(child, { ...style, ...styleOf(child) }) : [];
  });

function styleOf(element: Element): Style {
  const { className } = element.properties;
  const first = Array.isArray(className) ? String(className[0]).replace(/^hljs-/, "") : "";
  return CLASS_STYLES[first] ?? {};
}

function splitAtLineFeeds(spans: readonly Span[]): Line[] {
  const lines: Span[][] = [[]];
  for (const { text, ...style } of spans) {
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ ...style, text: part });
    }
  }
  return lines;
}
