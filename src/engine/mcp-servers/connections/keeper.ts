import { EngineError } from "../../kernel/error.ts";
import { type Connection, isServerFailure, type ServerFailure } from "./connection.ts";

export interface KeeperStatus {
  readonly status: "connected" | "error" | "connecting" | "disconnected";
  readonly status_message?: string | undefined;
  readonly connected_at?: string | undefined;
}

/** Keeps one connection: made when it is wanted, and made again, more and more seldom, when it is lost. */
export interface Keeper {
  status(): KeeperStatus;
  connection(): Connection | undefined;
  /** The connection, or the next one; who comes meanwhile waits for the same. Throws a ServerFailure. */
  open(): Promise<Connection>;
  isOpening(): boolean;
  /** How often it has failed lately, and how long ago that was. */
  failures(): { readonly count: number; readonly since_ms: number };
  /** Ends the connection until it is wanted again. */
  drop(message?: string): Promise<void>;
  /** For good. */
  close(): Promise<void>;
}

export interface KeeperDependencies {
  /** Makes a connection that can be used. `onClosed` is called when it is lost. */
  connect(onClosed: (reason: string) => void, signal: AbortSignal): Promise<Connection>;
  now(): Date;
  onTrouble(reason: string): void;
}

const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 300_000;
/** A connection that lasted so long was a good one. */
const STABLE_MS = 60_000;

export function createKeeper({ connect, now, onTrouble }: KeeperDependencies): Keeper {
  let connection: Connection | undefined;
  let opening: Promise<Connection> | undefined;
  let state: KeeperStatus = { status: "disconnected" };
  let count = 0;
  let failed_ms = 0;
  let opened_ms = 0;
  const closing = new AbortController();
  let retry: NodeJS.Timeout | undefined;

  const make = async (): Promise<Connection> => {
    state = { status: "connecting" };
    let made: Connection | undefined;
    let lost: string | undefined;
    try {
      made = await connect((reason) => {
        lost = reason;
        if (connection !== undefined && connection === made) lose(reason);
      }, closing.signal);
      if (closing.signal.aborted || lost !== undefined) throw gone(lost ?? CHANGED);
      connection = made;
      opened_ms = performance.now();
      state = { status: "connected", connected_at: now().toISOString() };
      return made;
    } catch (error) {
      await made?.close().catch(() => undefined);
      fail("error", reasonOf(error));
      throw gone(reasonOf(error));
    } finally {
      opening = undefined;
    }
  };
  const lose = (reason: string): void => {
    connection = undefined;
    if (performance.now() - opened_ms > STABLE_MS) count = 0;
    fail("disconnected", reason);
  };
  const fail = (status: KeeperStatus["status"], status_message: string): void => {
    if (closing.signal.aborted) return;
    count += 1;
    failed_ms = performance.now();
    state = { status, status_message };
    onTrouble(status_message);
    clearTimeout(retry);
    const delay_ms = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** (count - 1));
    retry = setTimeout(() => void open().catch(() => undefined), delay_ms).unref();
  };
  const open = async (): Promise<Connection> => {
    if (closing.signal.aborted) throw gone(CHANGED);
    if (connection) return connection;
    clearTimeout(retry);
    opening ??= make();
    return opening;
  };
  const drop = async (status_message?: string): Promise<void> => {
    const dropped = connection;
    connection = undefined;
    if (state.status === "connected") state = { status: "disconnected", status_message };
    await dropped?.close().catch(() => undefined);
  };

  return {
    status: () => state,
    connection: () => connection,
    open,
    isOpening: () => opening !== undefined,
    failures: () => ({ count, since_ms: performance.now() - failed_ms }),
    drop,
    async close() {
      closing.abort();
      clearTimeout(retry);
      await opening?.catch(() => undefined);
      await drop();
      state = { status: "disconnected" };
    },
  };
}

const CHANGED = "the server's configuration has changed";

const gone = (message: string): ServerFailure => ({ failure: "gone", message });

const REASON_CHARACTERS_MAX = 500;

/** What went wrong, as people may read it. */
export function reasonOf(error: unknown): string {
  if (error instanceof EngineError || error instanceof Error || isServerFailure(error))
    return error.message.slice(0, REASON_CHARACTERS_MAX);
  return String(error);
}
