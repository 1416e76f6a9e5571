import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { EngineError } from "#engine/kernel/error.ts";
import { OWN_USER, privateFolder, unguessableFolder } from "./private-folder.ts";

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

/** The folders of this machine that native files can be unpacked in. */
export interface UnpackFolders {
  /** Keeps what is in it for the next start. */
  readonly cache: string;
  /** Others may write there, too. */
  readonly temporary: string;
}

/**
 * Puts the executable's native files where they can be loaded and nobody else can change them: in the
 * cache, else in the temporary folder, there at last under a name that nobody can guess and only until
 * the process ends. Throws EngineError `unavailable` when no folder will do.
 */
export function extractNativeFiles(
  read: (name: string) => Uint8Array,
  { cache, temporary }: UnpackFolders,
): NativeFiles {
  const files = Object.values(NATIVE_ASSETS).map((name) => ({ name, bytes: read(name) }));
  const homes = [
    () => privateFolder(cache, "troupe"),
    () => privateFolder(temporary, `troupe-${OWN_USER ?? "user"}`),
    () => untilTheEnd(unguessableFolder(temporary)),
  ];
  const failures: string[] = [];
  for (const home of homes) {
    try {
      const folder = home();
      const [addon = "", vector = ""] = files.map(({ name, bytes }) => place(folder, name, bytes));
      return { addon, vector };
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  const tried = failures.join("; ");
  throw new EngineError(
    "unavailable",
    `the native parts can be unpacked nowhere; set XDG_CACHE_HOME to a folder that can be written (${tried})`,
  );
}

/** The hash is in the folder's name, as SQLite derives an extension's entry point from the file's. */
function place(folder: string, name: string, bytes: Uint8Array): string {
  const hash = hashOf(bytes);
  const file = join(privateFolder(folder, hash.slice(0, 32)), basename(name));
  if (isIntact(file, hash)) return file;
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, bytes, { mode: 0o700, flag: "wx" });
  renameSync(draft, file);
  return file;
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Neither a link nor a pipe is followed or waited for; Windows knows neither flag. */
const AS_IT_IS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A file that somebody changed, or still can change, must not be loaded. */
function isIntact(file: string, hash: string): boolean {
  try {
    const handle = openSync(file, AS_IT_IS);
    try {
      return isOwn(handle) && hashOf(readFileSync(handle)) === hash;
    } finally {
      closeSync(handle);
    }
  } catch {
    // It is put there anew; if that fails, it tells why.
    return false;
  }
}

function isOwn(handle: number): boolean {
  const stats = fstatSync(handle);
  if (!stats.isFile()) return false;
  return OWN_USER === undefined || (stats.uid === OWN_USER && (stats.mode & 0o022) === 0);
}

function untilTheEnd(folder: string): string {
  process.once("exit", () => {
    try {
      rmSync(folder, { recursive: true });
    } catch {
      // Windows keeps files that are loaded.
    }
  });
  return folder;
}
