import { statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { badRequest, EngineError } from "#engine/kernel/error.ts";
import { LIMITS } from "#engine/kernel/limits.ts";
import { listFiles } from "#engine/knowledge/file-operations.ts";
import { createKnowledgeBase } from "#engine/knowledge/operations.ts";
import { type Client, isServer } from "../client/client.ts";
import { beginFile, type Change, type File, finishFile, type Target } from "./add-file.ts";
import { type FoundFiles, hashOf, type LocalFile, uploadOf } from "./local-files.ts";

/** What became of a file. One that was not taken at all has no id. */
export interface AddResult
  extends Pick<File, "file_name" | "status">,
    Partial<Omit<File, "file_name" | "status">> {
  /** `missing` is in the knowledge base, but not among the files of the folders. */
  readonly change: Change | "failed" | "missing";
}

export interface Watcher {
  begins(name: string, position: number, total: number): void;
  progresses(file: File): void;
  ends(result: AddResult): void;
}

/**
 * Brings a knowledge base up to files and folders, one file after the other; it is made when it is not there.
 * A file that is refused, or that can't be read, does not hold up the others.
 */
export async function addFiles(
  client: Client,
  name: string,
  { files, folders }: FoundFiles,
  watcher: Watcher,
): Promise<AddResult[]> {
  await ensureBase(client, name);
  const call: Target["call"] = (operation, input) => client.call(operation, input);
  const known = await call(listFiles, { name });
  const goOn = () => client.work({ takes_tasks: false });
  const target = { call, name, known, ...(isServer(client.place) ? {} : { goOn }) };
  const results: AddResult[] = [];
  for (const [index, file] of files.entries()) {
    watcher.begins(file.name, index + 1, files.length);
    const result = await addOne(target, file, watcher);
    results.push(result);
    watcher.ends(result);
  }
  // Somebody who names single files says nothing about the others.
  return folders > 0 ? [...results, ...missingOf(known, files)] : results;
}

async function addOne(target: Target, file: LocalFile, watcher: Watcher): Promise<AddResult> {
  try {
    requireSize(file);
    const hash = await hashOf(file.path);
    const begun = await whenAllowed(() => beginFile(target, { ...uploadOf(file), hash }));
    const done = await finishFile(target, begun, watcher.progresses);
    return { ...done.file, change: done.file.status === "error" ? "failed" : done.change };
  } catch (error) {
    const status_message = refusalOf(error);
    return { file_name: file.name, status: "error", change: "failed", status_message };
  }
}

/** Before it is sent: a server that refuses it hangs up in the middle, and nobody reads why. */
function requireSize({ path }: LocalFile): void {
  const { size } = statSync(path);
  if (size > LIMITS.upload_bytes)
    throw badRequest(`it has ${size} bytes, and ${LIMITS.upload_bytes} are the most`);
}

/** Why this file alone was not taken; throws what concerns them all. */
function refusalOf(error: unknown): string {
  if (error instanceof EngineError && error.code === "bad_request") return error.message;
  const { code, path } = error as NodeJS.ErrnoException;
  if (code !== undefined && path !== undefined) return `it cannot be read (${code})`;
  throw error;
}

const PAUSE_MS = 2_000;

/** A server may limit how many requests it takes in a minute. */
async function whenAllowed<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== "rate_limited") throw error;
      await delay(PAUSE_MS);
    }
  }
}

function missingOf(known: readonly File[], files: readonly LocalFile[]): AddResult[] {
  const names = new Set(files.map(({ name }) => name));
  return known
    .filter(({ file_name }) => !names.has(file_name))
    .map((file) => ({ ...file, change: "missing" }));
}

async function ensureBase(client: Client, name: string): Promise<void> {
  try {
    await client.call(createKnowledgeBase, { name });
  } catch (error) {
    if (!(error instanceof EngineError && error.code === "conflict")) throw error;
  }
}
