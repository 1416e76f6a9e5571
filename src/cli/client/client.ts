import type { WireFrame } from "#engine/events/wire.ts";
import type { Operation } from "#engine/operation.ts";
import type { ChatInput } from "#engine/runtime/chat.ts";

/** A turn as its client sees it: frames until `done` or `error`, over HTTP or in this process alike. */
export interface ClientTurn {
  /** Known as soon as the turn is accepted, also for a new session. */
  readonly session_id: string;
  /** Ends after `done` or `error`. Throws when the connection is lost for good. */
  readonly frames: AsyncIterable<WireFrame>;
}

/** `restarted`: the server died in a step and does it again; what the step had said is void. */
export type ConnectionChange = "lost" | "back" | "restarted";

/** How a turn is waited for that nobody may ever begin. */
export interface Wait {
  /** The id of the last frame that was seen. */
  readonly after: number | undefined;
  readonly signal: AbortSignal;
  /** Told of the turn's connection, not of the waiting's. */
  watch(change: ConnectionChange): void;
}

/** The one door the commands use: an engine in this process, or a server elsewhere. */
export interface Client {
  /** Where the other side is, for people: a URL, or the data directory. */
  readonly place: string;
  /** Throws EngineError with the code and message the server gave. */
  call<Input, Output>(operation: Operation<Input, Output>, input: Input): Promise<Output>;
  /** Resolves when the turn is accepted; refusals throw before the first frame. */
  chat(input: ChatInput, watch?: (change: ConnectionChange) => void): Promise<ClientTurn>;
  /** Follows a turn that was begun already: the session's `number`th, from its beginning to its end. */
  join(
    session_id: string,
    number: number,
    watch?: (change: ConnectionChange) => void,
  ): Promise<ClientTurn>;
  /**
   * The next turn that somebody else begins in the session, behind a frame or behind all there are now, as soon as
   * something of it is heard. Undefined when it is not waited for any more, or nothing can be heard here.
   */
  upcoming(session_id: string, wait: Wait): Promise<ClientTurn | undefined>;
  /** Goes on in this process with what waits, when no server does: files and turns, and background tasks too. */
  work(options?: { readonly takes_tasks?: boolean }): Promise<void>;
  close(): Promise<void>;
}

/** Whether a client's place is a server, which works on its own. */
export const isServer = (place: string): boolean => /^https?:/.test(place);
