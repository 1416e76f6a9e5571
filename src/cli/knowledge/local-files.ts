import { createHash } from "node:crypto";
import { createReadStream, readdirSync, statSync } from "node:fs";
import { basename, extname, join, relative, sep } from "node:path";
import { EngineError } from "#engine/kernel/error.ts";
import { FILE_EXTENSIONS } from "#engine/knowledge/file-type.ts";

export interface LocalFile {
  readonly path: string;
  /** What it is called in the knowledge base: with its folders, so that no two of a tree are the same. */
  readonly name: string;
}

/** The files that are named, and those of the folders that are, as far as they can be read. Throws EngineError. */
export function findFiles(paths: readonly string[]): FoundFiles {
  const found = paths.map(filesAt);
  return {
    files: found.flatMap(({ files }) => files),
    folders: paths.filter(isFolder).length,
    skipped: found.flatMap(({ skipped }) => skipped),
  };
}

export interface FoundFiles {
  readonly files: readonly LocalFile[];
  /** How many of the paths are folders. */
  readonly folders: number;
  /** What is in the folders and of a type that can't be read; hidden files are not told of. */
  readonly skipped: readonly string[];
}

function filesAt(path: string): Pick<FoundFiles, "files" | "skipped"> {
  if (!isFolder(path)) return { files: [{ path, name: basename(path) }], skipped: [] };
  const names = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(path, join(entry.parentPath, entry.name)))
    .filter((name) => !name.split(sep).some((part) => part.startsWith(".")))
    .sort();
  const { files = [], skipped = [] } = Object.groupBy(names, (name) =>
    isReadable(name) ? "files" : "skipped",
  );
  return {
    files: files.map((name) => ({ path: join(path, name), name: name.split(sep).join("_") })),
    skipped,
  };
}

const isReadable = (name: string): boolean =>
  FILE_EXTENSIONS.includes(extname(name).slice(1).toLowerCase());

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (cause) {
    throw new EngineError("not_found", `there is no file or folder ${path}`, { cause });
  }
}

export async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of createReadStream(path)) hash.update(part as Uint8Array);
  return hash.digest("hex");
}

/** What an upload takes; the content can be read again when the request has to be sent again. */
export const uploadOf = ({ path, name }: LocalFile) => ({
  name,
  content_type: extname(name).toLowerCase() === ".txt" ? "text/plain" : undefined,
  content: { [Symbol.asyncIterator]: () => createReadStream(path)[Symbol.asyncIterator]() },
});
