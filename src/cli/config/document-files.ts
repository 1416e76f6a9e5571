import { readFileSync, realpathSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { text } from "node:stream/consumers";
import type { SourceFile } from "#engine/config/document.ts";
import { type Variables, variablesIn } from "#engine/config/variables.ts";
import { EngineError } from "#engine/kernel/error.ts";
import { usageError } from "../output.ts";
import type { Environment } from "../settings/load-config.ts";
import { filesOf, readText } from "./yaml-files.ts";

/** A document as its author keeps it: files of YAML, what they name, and the variables that are set. */
export interface DocumentFiles {
  readonly documents: SourceFile[];
  readonly variables: Variables;
}

/** As a field of an entry names a file (`system_file`), in block and flow style. */
const NAMED_FILE = /\bsystem_file["']?\s*:\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s,}#][^,}#\n]*))/g;

/** One file, every YAML file in a folder as one document, or standard input for `-`. Throws a usage error. */
export async function readDocumentFiles(
  path: string,
  environment: Environment,
): Promise<DocumentFiles> {
  const documents = path === "-" ? [await standardInput()] : filesOf(path).map(readSource);
  return { documents, variables: variablesOf(documents, environment) };
}

async function standardInput(): Promise<SourceFile> {
  if (process.stdin.isTTY) throw usageError("-: standard input is a terminal; pipe a document in");
  return { file: "standard input", text: await text(process.stdin) };
}

function readSource(file: string): SourceFile {
  const source = readText(file);
  const files = Object.fromEntries(
    namedFiles(source).flatMap((name) => {
      const found = readBeside(file, name);
      return found === undefined ? [] : [[name, found]];
    }),
  );
  return { file: relative("", file) || file, text: source, files };
}

export const namedFiles = (source: string): string[] =>
  [...source.matchAll(NAMED_FILE)].map(([, double, single, plain]) =>
    (double ?? single ?? plain ?? "").trim(),
  );

/** Only from the document's own folder down: a document must not fetch what lies elsewhere on the disk. */
function readBeside(document: string, name: string): string | undefined {
  const folder = realpathSync(dirname(resolve(document)));
  const path = resolve(folder, name);
  if (!path.startsWith(folder + sep)) return undefined;
  try {
    if (!realpathSync(path).startsWith(folder + sep)) return undefined;
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Those that the texts name and nothing else: an environment is nobody else's business. */
function variablesOf(documents: readonly SourceFile[], environment: Environment): Variables {
  const names = new Set(documents.flatMap((document) => variablesIn(document.text)));
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

export const unreadable = (path: string, cause: unknown) =>
  new EngineError("unavailable", `${path} cannot be written`, { cause });
