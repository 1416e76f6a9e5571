/** A chat request that was sent with an `Idempotency-Key` (decision 7). */
export interface IdempotencyRecord {
  /** Who sent it: one caller's keys are nothing to another's. */
  readonly owner: string;
  readonly key: string;
  readonly body_hash: string;
  readonly session_id: string;
  readonly turn_id: string;
  /** The turn's frames come after this event. */
  readonly after_seq: number;
  readonly created_at: string;
}

export interface IdempotencyReads {
  get(owner: string, key: string): Promise<IdempotencyRecord | undefined>;
}

export interface IdempotencyWrites extends IdempotencyReads {
  insert(record: IdempotencyRecord): Promise<void>;
  deleteBefore(created_at: string): Promise<void>;
}
