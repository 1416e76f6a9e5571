import { RE2JS } from "re2js";
import { badRequest } from "../../kernel/error.ts";
import { LIMITS } from "../../kernel/limits.ts";

/** A pattern as the validator calls it; it tells patterns apart by their text. */
export interface Pattern {
  test(text: string): boolean;
  toString(): string;
}

/**
 * By an engine that takes linear time whatever the pattern and the text, which JavaScript's own does not.
 * Throws for what it can't match: look-around and back references.
 */
export function compilePattern(pattern: string): Pattern {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text) => compiled.matcher(text).find(), toString: () => pattern };
}

/** Throws `bad_request`. */
export function requirePattern(pattern: string, path: string): void {
  if (pattern.length > LIMITS.graph_pattern_characters) {
    throw badRequest(`${path}: is longer than ${LIMITS.graph_pattern_characters} characters`);
  }
  const size = sizeOf(pattern, path);
  if (size > LIMITS.graph_pattern_size) {
    throw badRequest(`${path}: repeats so much that matching it would take long`);
  }
}

function sizeOf(pattern: string, path: string): number {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern)).programSize();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw badRequest(
      `${path}: only patterns that can be matched in linear time are taken, without look-around and back references (${reason})`,
      { cause },
    );
  }
}
