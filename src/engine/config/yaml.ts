import { Composer, type CST, Lexer, LineCounter, Parser } from "yaml";
import { LIMITS } from "../kernel/limits.ts";
import { errorAt, type Place, type Problem } from "./problem.ts";
import { readNodes, TOO_DEEP } from "./yaml-nodes.ts";
import type { Places } from "./yaml-places.ts";

/** A file of YAML as plain values, and where they stood: nothing but data, which may come from a thread. */
export interface ParsedYaml {
  /** Undefined when there are problems; null for a file without content. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** Of the values; empty when there are problems. */
  readonly places: Places;
}

const ONE_DOCUMENT = "a file holds one document; put the other one into a file of its own";

/** Somebody's text: however it is nested, repeated or tagged, reading it ends soon and runs no code. */
export function parseYaml(text: string, file: string | undefined): ParsedYaml {
  const lines = new LineCounter();
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const refused = (problems: readonly Problem[]): ParsedYaml => ({
    value: undefined,
    problems,
    places: new Uint32Array(),
  });
  const tokens = tokenize(text, lines);
  if ("too_deep_at" in tokens) return refused([errorAt(placeAt(tokens.too_deep_at), TOO_DEEP)]);
  // Duplicate keys are looked for later: the library compares each with each.
  const composer = new Composer({ uniqueKeys: false, lineCounter: lines });
  const documents = [...composer.compose(tokens.list, true, text.length)];
  const problems = documents.flatMap(({ errors, warnings }) =>
    [...errors, ...warnings].map(({ pos, message }) => errorAt(placeAt(pos[0]), message)),
  );
  const [document, second] = documents;
  if (second) problems.push(errorAt(placeAt(second.range[0]), ONE_DOCUMENT));
  if (!document || problems.length > 0) return refused(problems);
  const read = readNodes(document.contents, placeAt);
  return read.problems.length > 0 ? refused(read.problems) : read;
}

/** Gives up at the first token that is nested too deep: whoever goes on would run out of stack or time. */
function tokenize(
  text: string,
  lines: LineCounter,
): { readonly list: CST.Token[] } | { readonly too_deep_at: number } {
  const parser = new Parser(lines.addNewLine);
  const list: CST.Token[] = [];
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) list.push(token);
    // Each level of the text is up to two of the parser's.
    if (parser.stack.length > 2 * LIMITS.body_depth) return { too_deep_at: parser.offset };
  }
  for (const token of parser.end()) list.push(token);
  return { list };
}
