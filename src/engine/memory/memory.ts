import { z } from "zod";
import { Name, PreciseTimestamp, Uuid } from "../kernel/fields.ts";

export const MemoryKey = z.object({ name: Name });
export const MemoryEntryKey = MemoryKey.extend({ entry_id: z.string().min(1) });

/** What an agent remembers of one visitor of one schema (contract 2.11). */
export const MemoryEntry = z.object({
  id: Uuid,
  schema_id: Uuid,
  user_sub: z.string(),
  content: z.string(),
  metadata: z.record(z.string(), z.string()).optional(),
  created_at: PreciseTimestamp,
  updated_at: PreciseTimestamp,
});

export interface MemoryRecord {
  readonly id: string;
  readonly schema_id: string;
  readonly user_sub: string;
  /** Who stored it: its capability says how long it is kept. */
  readonly agent_id: string;
  readonly content: string;
  readonly metadata?: Record<string, string> | undefined;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Nobody remembers one visitor's words to another. */
export interface MemoryOwner {
  readonly schema_id: string;
  readonly user_sub: string;
}

export interface MemoryReads {
  /** Newest first. */
  listBySchema(schema_id: string): Promise<MemoryRecord[]>;
  /** Newest first; every word must occur, whatever its case. */
  search(owner: MemoryOwner, words: readonly string[], limit: number): Promise<MemoryRecord[]>;
  get(id: string): Promise<MemoryRecord | undefined>;
}

export interface MemoryWrites extends MemoryReads {
  insert(entry: MemoryRecord): Promise<void>;
  delete(id: string): Promise<void>;
  deleteBySchema(schema_id: string): Promise<void>;
  /** Keeps only the newest `count` of an owner. */
  keepNewest(owner: MemoryOwner, count: number): Promise<void>;
  /** Deletes what an agent stored before then. */
  deleteBefore(agent_id: string, before: string): Promise<void>;
}
