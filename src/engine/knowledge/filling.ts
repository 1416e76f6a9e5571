import { setTimeout as delay } from "node:timers/promises";
import type { Context } from "../context.ts";
import type { KnowledgeBaseRecord } from "./base.ts";
import type { KnowledgeFileRecord } from "./file.ts";

type FillingContext = Pick<Context, "read" | "now"> & {
  readonly services: Pick<Context["services"], "indexing">;
  readonly signal: AbortSignal;
};

/** A knowledge base whose first file came no longer ago is still being filled. */
const NEW_MS = 60_000;
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 100;

/**
 * How many files can't be found yet because they are still being indexed. Who asks as soon as documents are
 * uploaded means these, so a knowledge base that is filled for the first time is waited for a while; one that
 * is in use already answers at once from what it has.
 */
export async function whenFilled(
  { read, now, services, signal }: FillingContext,
  bases: readonly KnowledgeBaseRecord[],
): Promise<number> {
  const ids = bases.map(({ id }) => id);
  for (let waited_ms = 0; services.indexing.isBusy(); waited_ms += LOOK_EVERY_MS) {
    const files = await read.knowledge_files.list(ids);
    const pending = files.filter(isPending);
    const since = new Date(now().getTime() - NEW_MS).toISOString();
    if (waited_ms >= PATIENCE_MS || !pending.some(isOfNewBase(files, since))) return pending.length;
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
  return 0;
}

const isPending = ({ status }: KnowledgeFileRecord): boolean =>
  status === "indexing" || status === "uploading";

const isOfNewBase = (files: readonly KnowledgeFileRecord[], since: string) => {
  const old = new Set(
    files
      .filter(({ created_at }) => created_at < since)
      .map(({ knowledge_base_id }) => knowledge_base_id),
  );
  return ({ knowledge_base_id }: KnowledgeFileRecord): boolean => !old.has(knowledge_base_id);
};
