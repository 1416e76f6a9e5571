import { EngineError } from "../kernel/error.ts";

/** A line that never ends must not fill the memory. */
const LINE_LENGTH_MAX = 4 * 1024 * 1024;

/** One JSON value a line. Throws EngineError `model_error` for a line that is none or never ends. */
export async function* readJsonLines(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of body.pipeThrough(decoder)) {
    const [first = "", ...rest] = chunk.split("\n");
    pieces.push(first);
    length += first.length;
    if (length > LINE_LENGTH_MAX) throw unusable("a line without an end");
    for (const next of rest) {
      const line = pieces.join("").trim();
      pieces = [next];
      length = next.length;
      if (line) yield parse(line);
    }
  }
  const line = pieces.join("").trim();
  if (line) yield parse(line);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw unusable(line.slice(0, 100));
  }
}

const unusable = (what: string) =>
  new EngineError("model_error", `the model server gave an answer that can't be used: ${what}`);
