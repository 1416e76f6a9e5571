import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";
import { isMeaningPending, type KnowledgeFile } from "#engine/knowledge/file.ts";
import { deleteFile, getFile, uploadFile } from "#engine/knowledge/file-operations.ts";
import type { Operation } from "#engine/operation.ts";
import { patient } from "../patience.ts";

export type File = z.output<typeof KnowledgeFile>;

/** What is put into a knowledge base, with what it has of this name already. */
export interface NewFile {
  readonly name: string;
  /** SHA-256 of the content, in hexadecimal. */
  readonly hash: string;
  readonly content_type?: string | undefined;
  /** May be read more than once. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** How operations are called: in this process, or at a server. */
export type Call = <Input, Output>(
  operation: Operation<Input, Output>,
  input: Input,
) => Promise<Output>;

export type Change = "added" | "replaced" | "unchanged";

/** A file on its way into a knowledge base. */
export interface AddedFile {
  readonly file: File;
  readonly change: Change;
  /** Others of the same name, which it takes the place of. */
  readonly outdated: readonly File[];
}

/** Looked at often in the beginning, then less: a server may limit how often one asks. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/** A knowledge base to put files into. */
export interface Target {
  readonly call: Call;
  readonly name: string;
  /** Its files before. */
  readonly known: readonly File[];
  /** Has this process go on with files that an earlier one left; absent where a server does. */
  readonly goOn?: () => Promise<void>;
}

/** Uploads a file, unless it is there unchanged. */
export async function beginFile(
  { call, name: base, known, goOn }: Target,
  { name: file_name, hash, content_type, content }: NewFile,
): Promise<AddedFile> {
  const namesakes = known.filter((file) => file.file_name === file_name);
  const same = namesakes.find(
    ({ hash: other, status }) =>
      // Nobody may go on with a file that is half done: without a server, it is sent again.
      other === hash && (status === "ready" || (!goOn && status === "indexing")),
  );
  if (same) {
    const outdated = namesakes.filter(({ id }) => id !== same.id);
    return { file: same, change: "unchanged", outdated };
  }
  const upload = { name: base, file_name, content_type, content };
  const file = await call(uploadFile, upload);
  const change = namesakes.length > 0 ? "replaced" : "added";
  return { file, change, outdated: namesakes };
}

/**
 * Waits until the file is indexed, and where no server goes on with that, until it is found by what it means,
 * too; `watch` sees how far it is. What it takes the place of is searched until it is ready; an old one that
 * failed is of no use in any case.
 */
export async function finishFile(
  { call, name: base, goOn }: Target,
  { file: begun, change, outdated }: AddedFile,
  watch: (file: File) => void = () => undefined,
  signal?: AbortSignal,
): Promise<AddedFile> {
  let file = begun;
  let pause_ms = FIRST_PAUSE_MS;
  const look = patient(() => call(getFile, { name: base, file_id: file.id }));
  const watchWhile = async (isAtWork: (file: File) => boolean) => {
    while (isAtWork(file)) {
      watch(file);
      await delay(pause_ms, undefined, { signal });
      pause_ms = Math.min(pause_ms * 1.2, LONGEST_PAUSE_MS);
      file = (await look()) ?? file;
    }
  };
  await watchWhile(({ status }) => status === "indexing");
  const useless = outdated.filter(({ status }) => status === "error" || file.status === "ready");
  for (const { id } of useless) await call(deleteFile, { name: base, file_id: id });
  if (goOn && isMeaningPending(file)) {
    await goOn();
    await watchWhile(isMeaningPending);
  }
  return { file, change, outdated };
}
