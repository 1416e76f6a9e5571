import type { ClientTurn, ConnectionChange, Wait } from "#cli/client/client.ts";
import type { PublicEvent } from "#engine/events/event.ts";
import type { ErrorCode } from "#engine/kernel/error.ts";
import type { FormAnswer } from "./interrupt.ts";

export interface SessionSummary {
  readonly id: string;
  readonly title?: string | undefined;
  readonly status?: string | undefined;
  readonly updated_at: string;
}

export interface SchemaSummary {
  readonly name: string;
  readonly description?: string | undefined;
  readonly chat_enabled?: boolean | undefined;
}

/** With whom the chat is; what is not known is left out. */
export interface ChatTarget {
  readonly schema: string;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
}

export type Watch = (change: ConnectionChange) => void;

export interface FormReply {
  readonly interrupt_id: string;
  readonly answers: readonly FormAnswer[];
}

/** All that the chat needs of the world outside the terminal. Each function throws an error to show. */
export interface ChatPort {
  /** Where the other side is, for people: a URL, or the data directory. */
  readonly place: string;
  readonly target: ChatTarget;
  send(message: string, session_id?: string, watch?: Watch): Promise<ClientTurn>;
  /** Answers a form: a turn that goes on where the form was shown. */
  resume(session_id: string, answer: FormReply, watch?: Watch): Promise<ClientTurn>;
  /** Approves or rejects a tool call; `answer` is `approve`, or `reject: reason`. */
  respond(session_id: string, call_id: string, answer: string): Promise<void>;
  /** Follows the session's turn of this number, from 1, from its beginning to its end. */
  join(session_id: string, turn: number, watch?: Watch): Promise<ClientTurn>;
  /** Waits for a turn that is begun elsewhere. */
  upcoming(session_id: string, wait: Wait): Promise<ClientTurn | undefined>;
  /** Stops the session's turn at the server; the partial answer is kept. */
  cancel(session_id: string): Promise<"cancelled" | "idle">;
  history(session_id: string): Promise<readonly PublicEvent[]>;
  /** Sessions of this schema, last updated first. */
  sessions(): Promise<readonly SessionSummary[]>;
  schemas(): Promise<readonly SchemaSummary[]>;
  /** Writes a new file and gives its whole path; one that is there already is kept. */
  save(path: string, text: string): Promise<string>;
}

/** The prompts of earlier chats with this server. */
export interface PromptHistory {
  /** Oldest first. */
  readonly entries: readonly string[];
  remember(prompt: string): Promise<void>;
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** The server knows nothing of it any more: it was done already, or it is too late. */
export const isGone = (error: unknown): boolean =>
  error instanceof Error && "code" in error && GONE.has(error.code);

const GONE: ReadonlySet<unknown> = new Set<ErrorCode>(["not_found", "conflict"]);
