import { z } from "zod";
import { PublicEvent } from "../events/event.ts";
import { Timestamp, Uuid, UuidOrEmpty } from "../kernel/fields.ts";
import { LIMITS } from "../kernel/limits.ts";
import { pageInput, pageOf, type Slice } from "../kernel/page.ts";

export const SessionStatus = z.enum(["active", "completed", "expired", "failed"]);
export type SessionStatus = z.infer<typeof SessionStatus>;

const Metadata = z
  .record(z.string(), z.unknown())
  .refine(
    (metadata) => Buffer.byteLength(JSON.stringify(metadata)) <= LIMITS.session_metadata_bytes,
    `must have at most ${LIMITS.session_metadata_bytes} bytes as JSON`,
  );

const Title = z
  .string()
  .max(
    LIMITS.session_title_characters,
    `must have at most ${LIMITS.session_title_characters} characters`,
  );

const UserSub = z.string().max(LIMITS.visitor_id_characters);

export const SessionKey = z.object({ id: Uuid });

export const SessionCreate = z.object({
  id: UuidOrEmpty.optional(),
  title: Title.optional(),
  /** The schema's UUID or its name. */
  schema_id: z.string().optional(),
  user_sub: UserSub.optional(),
  metadata: Metadata.optional(),
});

export const SessionUpdate = SessionKey.extend({
  title: Title.optional(),
  status: SessionStatus.optional(),
  metadata: Metadata.optional(),
});

/** `agent_name` and `agent` are accepted and do not narrow: a session does not retain its agent. */
export const SessionQuery = z.object({
  agent_name: z.string().optional(),
  agent: z.string().optional(),
  user_sub: z.string().optional(),
  status: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  limit: z.unknown().optional(),
  ...pageInput(LIMITS.sessions_page),
});

export const Session = z.object({
  id: Uuid,
  title: z.string().optional(),
  schema_id: Uuid.optional(),
  user_sub: z.string().optional(),
  status: SessionStatus,
  metadata: z.record(z.string(), z.unknown()),
  created_at: Timestamp,
  updated_at: Timestamp,
});

/** The record plus its persisted events (decision 24). */
export const SessionWithEvents = Session.extend({ events: z.array(PublicEvent) });

export const SessionPage = pageOf(Session).extend({ per_page_max: z.int() });

export interface SessionRecord {
  readonly id: string;
  readonly title?: string | undefined;
  readonly schema_id?: string | undefined;
  readonly user_sub?: string | undefined;
  readonly status: SessionStatus;
  readonly metadata: Record<string, unknown>;
  readonly created_at: string;
  readonly updated_at: string;
}

/** `from` and `to` are inclusive bounds on `created_at`. */
export interface SessionFilter {
  readonly user_sub?: string | undefined;
  readonly status?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface SessionReads {
  get(id: string): Promise<SessionRecord | undefined>;
  /** Last updated first. */
  list(filter: SessionFilter, slice: Slice): Promise<SessionRecord[]>;
  count(filter: SessionFilter): Promise<number>;
  countBySchema(schema_id: string): Promise<number>;
  /** Different visitors whose sessions changed since then. */
  countUsers(since: string): Promise<number>;
}

export interface SessionWrites extends SessionReads {
  insert(session: SessionRecord): Promise<void>;
  update(id: string, fields: Partial<SessionRecord>): Promise<void>;
  /** Deletes the session's events too. */
  delete(id: string): Promise<void>;
}
