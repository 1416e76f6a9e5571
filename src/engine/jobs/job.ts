import type { Actor } from "../audit/audit.ts";

/** Work that outlives a request and, once its lease has run out, the process that did it. */
interface Work<Kind extends string, Payload> {
  /** Grows: the order in which jobs of one key run. */
  readonly id: number;
  readonly kind: Kind;
  /** At most one job of a key runs at a time, on any number of nodes. */
  readonly key: string;
  readonly state: "queued" | "running";
  readonly payload: Payload;
  readonly owner?: string | undefined;
  /** Milliseconds since the epoch; a running job past it may be claimed by another node. */
  readonly lease_until_ms?: number | undefined;
  readonly attempts: number;
  readonly created_at: string;
}

export type Job = Work<"turn", TurnJob>;
/** Makes a file's passages searchable. */
export type IndexJob = Work<"index", { readonly file_id: string }>;
/** Embeds a file's passages anew, while they can be searched as they were. */
export type EmbedJob = Work<"embed", { readonly file_id: string }>;
export type AnyJob = Job | IndexJob | EmbedJob;

/** What a turn needs to start later or to be taken up again by another process. */
export interface TurnJob {
  /** The request that asked for it: a turn that was paused has one more. */
  readonly request_id: string;
  readonly session_id: string;
  readonly turn_id: string;
  readonly schema_id: string;
  readonly agent_id: string;
  /** The visitor who asked, whose memory and usage it is. */
  readonly user_sub: string;
  /** Who asked, as the audit log names them; absent for work that nobody asked for by chat. */
  readonly actor?: Actor | undefined;
  /** Present while the turn waits for the one before it; then the message is in the log. */
  readonly message?: string | undefined;
  /** The answer to an interrupt: a turn that was paused goes on. */
  readonly resume?: { readonly interrupt_id: string; readonly payload: unknown } | undefined;
  /** Nobody can be shown a form: the answer is collected into one JSON document. */
  readonly is_collected?: true | undefined;
  /** Nor does anybody know the session before the answer is there: nobody could approve a call. */
  readonly is_unattended?: true | undefined;
  /** The task that the turn works on: the turn's end is the task's end. */
  readonly task_id?: string | undefined;
  /** It runs on a key that lives in memory only. */
  readonly is_byok?: true | undefined;
}

export type JobOf<Kind> = Extract<AnyJob, { readonly kind: Kind }>;

export interface Lease {
  readonly owner: string;
  readonly until_ms: number;
}

export interface JobReads {
  countByKey(key: string): Promise<number>;
  /** Running jobs whose lease ran out, and queued ones whose key nobody runs; oldest first. */
  listClaimable<Kind extends AnyJob["kind"] = "turn">(
    now_ms: number,
    limit: number,
    kind?: Kind,
  ): Promise<JobOf<Kind>[]>;
}

export interface JobWrites extends JobReads {
  insert(job: Omit<Job, "id">): Promise<Job>;
  insert(job: Omit<IndexJob, "id">): Promise<IndexJob>;
  insert(job: Omit<EmbedJob, "id">): Promise<EmbedJob>;
  /** Makes a queued or orphaned job this lease's; undefined when another node was faster. */
  start<Claimed extends AnyJob = Job>(
    id: number,
    lease: Lease,
    now_ms: number,
  ): Promise<Claimed | undefined>;
  /** The oldest queued job of a key. */
  nextQueued(key: string): Promise<Job | undefined>;
  /** Keeps these jobs, as far as they are this owner's. */
  extend(ids: readonly number[], lease: Lease): Promise<void>;
  /** Lets go of every job of an owner that is known to be gone. */
  release(owner: string): Promise<void>;
  /** Lets go of an owner's jobs in good order: without an owner, they tell of no crash. */
  handOver(owner: string): Promise<void>;
  /** Lets go of a job that is to go on later. */
  putBack(id: number): Promise<void>;
  /** Finishes a job as long as it is its owner's still; false when its lease ran out and another has it. */
  finishHeld(job: Pick<AnyJob, "id" | "key" | "owner">): Promise<boolean>;
  finish(id: number): Promise<void>;
  deleteQueued(key: string): Promise<void>;
  deleteByKey(key: string): Promise<void>;
}

/** One process at a time indexes a file. */
export const indexKeyOf = (file_id: string): string => `file:${file_id}`;

/** One turn at a time in a session, on any number of nodes. */
export const jobKeyOf = (session_id: string): string => `session:${session_id}`;
