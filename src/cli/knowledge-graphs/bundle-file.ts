import { readFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { parse, stringify } from "yaml";
import type { z } from "zod";
import { badRequest, EngineError } from "#engine/kernel/error.ts";
import { isObject } from "#engine/kernel/json.ts";
import type { GraphImport } from "#engine/knowledge-graphs/bundles/import.ts";

export type GivenBundle = z.input<typeof GraphImport>;

/** What an export is written as, and an import read from. */
export type Format = "json" | "yaml";

export const formatOf = (file: string): Format => (/\.json$/i.test(file) ? "json" : "yaml");

/**
 * The bundles of a file: one, or the list `knowledge_graphs` of a configuration; `-` is standard input.
 * `name` is what its only bundle shall be called. Throws EngineError naming the file.
 */
export async function readBundles(file: string, name?: string): Promise<GivenBundle[]> {
  const content = file === "-" ? await readAll(process.stdin) : readText(file);
  const document = parseContent(content, file);
  const list = isObject(document) ? (document.knowledge_graphs ?? document) : document;
  const bundles = Array.isArray(list) ? list : [list];
  if (name !== undefined && bundles.length !== 1) {
    throw badRequest(`${file}: holds ${bundles.length} bundles; --bundle can name only one`);
  }
  return bundles.map((bundle) => toBundle(bundle, file, name));
}

function toBundle(bundle: unknown, file: string, name: string | undefined): GivenBundle {
  if (!isObject(bundle)) throw badRequest(`${file}: holds no bundle: it must be an object`);
  const { bundle_name, ...rest } = bundle;
  const called = name ?? bundle_name;
  if (typeof called !== "string") {
    throw badRequest(`${file}: bundle_name: is required; or name the bundle with --bundle`);
  }
  return { ...rest, bundle: called } as GivenBundle;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const { code } = cause as { code?: string };
    const reason = code === "ENOENT" ? "there is no such file" : `cannot be read (${code})`;
    throw new EngineError("not_found", `${file}: ${reason}`, { cause });
  }
}

function parseContent(content: string, file: string): unknown {
  try {
    if (formatOf(file) === "json") return JSON.parse(content);
    return parseJson(content) ?? parse(content);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw badRequest(`${file}: cannot be read: ${reason}`, { cause });
  }
}

/** JSON is YAML, too, but is read a hundred times as fast as what it is. */
function parseJson(content: string): unknown {
  if (!/^\s*[{[]/.test(content)) return undefined;
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

export const formatBundle = (bundle: object, format: Format): string =>
  format === "json" ? `${JSON.stringify(bundle, undefined, 2)}\n` : stringify(bundle);
