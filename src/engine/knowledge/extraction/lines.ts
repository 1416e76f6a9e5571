export interface Line {
  /** Where it begins, in characters of the text. */
  readonly start: number;
  readonly line: string;
}

/** One by one: the lines of a large text, in a list, would take as much memory as the text. */
export function* linesOf(text: string): Generator<Line> {
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
    yield { start, line: text.slice(start, end) };
    start = end + 1;
  }
  yield { start, line: text.slice(start) };
}
