import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { EngineError } from "#engine/kernel/error.ts";

/** SQLite and its vector extension as files that the operating system can load. */
export interface NativeFiles {
  readonly addon: string;
  readonly vector: string;
}

const EXTENSIONS: Readonly<Record<string, string>> = { win32: "dll", darwin: "dylib" };
const VECTOR_FILE = `vec0.${EXTENSIONS[process.platform] ?? "so"}`;
const ADDON_FILE = "better_sqlite3.node";

/** Where the packages keep the files of this platform. */
export function installedNativeFiles(from: string): NativeFiles {
  const { resolve } = createRequire(from);
  const { platform, arch } = process;
  const os = platform === "win32" ? "windows" : platform;
  return {
    addon: join(
      dirname(resolve("better-sqlite3/package.json")),
      "prebuilds",
      `${platform}-${arch}.node`,
    ),
    vector: resolve(`sqlite-vec-${os}-${arch}/${VECTOR_FILE}`),
  };
}

/** The names under which the executable carries them. */
export const NATIVE_ASSETS = {
  addon: `native/${ADDON_FILE}`,
  vector: `native/${VECTOR_FILE}`,
} as const;

/**
 * Puts the executable's native files where they can be loaded, into the first folder that can be
 * written. The hash is in the folder's name, as SQLite derives an extension's entry point from the
 * file's. Throws EngineError `unavailable` when no folder will do.
 */
export function extractNativeFiles(
  read: (name: string) => Uint8Array,
  folders: readonly string[],
): NativeFiles {
  const files = Object.values(NATIVE_ASSETS).map((name) => ({ name, bytes: read(name) }));
  const failures: string[] = [];
  for (const folder of folders) {
    try {
      const [addon = "", vector = ""] = files.map(({ name, bytes }) => place(folder, name, bytes));
      return { addon, vector };
    } catch (error) {
      failures.push(`${folder}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const tried = failures.join("; ");
  throw new EngineError(
    "unavailable",
    `the native parts can be unpacked nowhere; set XDG_CACHE_HOME to a folder that can be written (${tried})`,
  );
}

function place(folder: string, name: string, bytes: Uint8Array): string {
  const hash = hashOf(bytes);
  const home = join(folder, hash.slice(0, 32));
  makePrivate(home);
  const file = join(home, name.slice(name.lastIndexOf("/") + 1));
  // A file that somebody changed must not be loaded.
  if (existsSync(file) && hashOf(readFileSync(file)) === hash) return file;
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, bytes, { mode: 0o700, flag: "wx" });
  renameSync(draft, file);
  return file;
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Level by level: a recursive mkdir can spin for ever under odd parents. */
function makePrivate(folder: string): void {
  if (!existsSync(folder)) {
    if (!existsSync(dirname(folder))) makePrivate(dirname(folder));
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  requireOwn(folder);
}

/** Whoever else could write here could make this process load anything. */
function requireOwn(folder: string): void {
  const { uid, mode } = lstatSync(folder);
  const own = process.getuid?.();
  if (own === undefined) return;
  if (uid !== own) throw new Error("it belongs to another user");
  if ((mode & 0o077) !== 0) chmodSync(folder, 0o700);
}
