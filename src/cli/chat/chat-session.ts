import type { ClientTurn, ConnectionChange } from "#cli/client.ts";
import type { PublicEvent } from "#engine/events/event.ts";

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

/** All that the chat needs of the world outside the terminal. Each function throws an error to show. */
export interface ChatPort {
  /** Where the other side is, for people: a URL, or the data directory. */
  readonly place: string;
  readonly target: ChatTarget;
  send(
    message: string,
    session_id?: string,
    watch?: (change: ConnectionChange) => void,
  ): Promise<ClientTurn>;
  /** Stops the session's turn at the server; the partial answer is kept. */
  cancel(session_id: string): Promise<void>;
  history(session_id: string): Promise<readonly PublicEvent[]>;
  /** Sessions of this schema, last updated first. */
  sessions(): Promise<readonly SessionSummary[]>;
  schemas(): Promise<readonly SchemaSummary[]>;
}

/** The prompts of earlier chats with this server. */
export interface PromptHistory {
  /** Oldest first. */
  readonly entries: readonly string[];
  remember(prompt: string): Promise<void>;
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
