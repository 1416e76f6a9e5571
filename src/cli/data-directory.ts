import { randomBytes } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { EngineError } from "#engine/kernel/error.ts";

/** The files of a data directory. */
export const filesOf = (data_dir: string, keys_dir = join(data_dir, "keys")) => ({
  database: join(data_dir, "troupe.db"),
  lock: join(data_dir, "server.lock"),
  server: join(data_dir, "server.json"),
  bootstrap_secret: join(data_dir, "bootstrap-secret"),
  secret_key: join(keys_dir, "secrets.key"),
  session_key: join(keys_dir, "session.jwk"),
  oauth_key: join(keys_dir, "oauth.jwk"),
});

/** Where a running server says how to reach it. */
export interface RunningServer {
  readonly url: string;
  readonly pid: number;
}

/** Makes the directory for this user alone. Throws EngineError `unavailable` that names it. */
export function prepareDirectory(directory: string): void {
  try {
    makeLevels(directory);
    // The slash makes sure that it is no file.
    accessSync(join(directory, "/"), constants.W_OK);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError(
      "unavailable",
      `the data directory ${directory} cannot be written (${reason}); choose another with --data-dir`,
      { cause },
    );
  }
}

/** Level by level: a recursive mkdir can spin for ever under odd parents. */
function makeLevels(directory: string): void {
  if (existsSync(directory)) return;
  const parent = dirname(directory);
  if (parent !== directory) makeLevels(parent);
  mkdirSync(directory, { mode: 0o700 });
}

/** Reads a secret file, or makes it once; two processes that start together end with the same one. */
export function readOrCreate(file: string, create: () => string): string {
  const known = readIfThere(file);
  if (known !== undefined) return known;
  prepareDirectory(dirname(file));
  try {
    writeFileSync(file, create(), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFileSync(file, "utf8");
}

export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    // Below a file there is nothing, either.
    if (/^(ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw new EngineError("unavailable", `${file} cannot be read`, { cause: error });
  }
}

/** Readers see the old file or the new one, never half of it. */
export function replaceFile(file: string, text: string): void {
  const draft = `${file}.${randomBytes(4).toString("hex")}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}

export const removeFile = (file: string): void => rmSync(file, { force: true });

export function readRunningServer(data_dir: string): RunningServer | undefined {
  const text = readIfThere(filesOf(data_dir).server);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as RunningServer;
  } catch {
    return undefined;
  }
}
