/** A pause that asks a person, by what it is about (specification 2 Interrupt). */
export type InterruptKind = "structured_output";
export type InterruptStatus = "pending" | "resolved" | "abandoned";

/** Where an answer belongs; derived from the events, so that an id alone finds its session. */
export interface InterruptRecord {
  readonly id: string;
  readonly session_id: string;
  readonly turn_id: string;
  /** Absent when the entry agent itself asked. */
  readonly run_id?: string | undefined;
  /** The tool call that waits for the answer. */
  readonly call_id: string;
  readonly kind: InterruptKind;
  readonly status: InterruptStatus;
  readonly created_at: string;
}

export interface InterruptReads {
  get(id: string): Promise<InterruptRecord | undefined>;
  listPending(session_id: string): Promise<InterruptRecord[]>;
}

export interface InterruptWrites extends InterruptReads {
  insert(interrupt: InterruptRecord): Promise<void>;
  /** False when it was not pending any more: of two answers only one gets through. */
  close(id: string, status: Exclude<InterruptStatus, "pending">): Promise<boolean>;
}
