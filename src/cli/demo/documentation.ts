import { createHash } from "node:crypto";
import { basename } from "node:path";
import { listFiles } from "#engine/knowledge/file-operations.ts";
import type { Logger } from "#engine/services.ts";
import { listPages, readAsset } from "../assets.ts";
import {
  type AddedFile,
  beginFile,
  type Call,
  finishFile,
  type NewFile,
} from "../knowledge/add-file.ts";

/** The knowledge base that holds troupe's own documentation. */
export const DOCUMENTATION = "troupe-documentation";

/** Work that goes on behind the server's back, and can be left at any time: the next start goes on with it. */
export interface Filling {
  readonly finished: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Brings the knowledge base up to the pages that this version carries: those that are new or changed are
 * uploaded, and indexed as any other file. Resolves when they are uploaded; what they take the place of goes
 * when they are indexed.
 */
export async function fillDocumentation(call: Call, log: Logger): Promise<Filling> {
  const known = await call(listFiles, { name: DOCUMENTATION });
  const target = { call, name: DOCUMENTATION, known };
  const begun: AddedFile[] = [];
  for (const page of pages()) begun.push(await beginFile(target, page));
  const abort = new AbortController();
  const finish = async () => {
    for (const file of begun) await finishFile(target, file, undefined, abort.signal);
  };
  const finished = finish().catch((error: unknown) => {
    if (!abort.signal.aborted) log.warn({ err: error }, "the demo's documentation is not complete");
  });
  return {
    finished,
    async stop() {
      abort.abort();
      await finished;
    },
  };
}

const pages = (): NewFile[] =>
  ["README.md", ...listPages("docs")].map((path) => {
    const bytes = readAsset(path);
    const hash = createHash("sha256").update(bytes).digest("hex");
    return { name: basename(path), hash, content_type: "text/markdown", content: once(bytes) };
  });

const once = (bytes: Uint8Array): AsyncIterable<Uint8Array> => ({
  async *[Symbol.asyncIterator]() {
    yield bytes;
  },
});
