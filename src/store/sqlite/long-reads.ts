import { type Connection, type ConnectOptions, connect } from "./database.ts";
import { type EntityFinder, entityFinder } from "./graph-find.ts";
import { type ChunkMatchers, chunkMatchers } from "./knowledge-search.ts";

/** Reads that may take long: they also run in a thread with a connection of its own. */
export interface LongReads extends ChunkMatchers, EntityFinder {}

/** What a thread is told: the database, which read, and what to look for. */
export interface LongRead {
  readonly database: ConnectOptions;
  readonly name: keyof LongReads;
  readonly asked: readonly unknown[];
}

const longReads = (connection: Connection): LongReads => ({
  ...chunkMatchers(connection),
  ...entityFinder(connection),
});

/** What a thread does: it serves one database, which its first read opens. */
export function createLongReader(): (read: LongRead) => Promise<unknown> {
  let reads: LongReads | undefined;
  return ({ database, name, asked }) => {
    reads ??= longReads(connect({ ...database, readonly: true }));
    const read = reads[name] as (...asked: readonly unknown[]) => Promise<unknown>;
    return read(...asked);
  };
}

/** Takes a task to where it is done. */
interface Thread {
  run(task: string, input: unknown): Promise<unknown>;
}

/** Has them run elsewhere; a search of knowledge never waits for a query of a graph. */
export function longReadsThrough(
  { knowledge, graphs }: { readonly knowledge: Thread; readonly graphs: Thread },
  database: ConnectOptions,
): LongReads {
  const through = <Name extends keyof LongReads>({ run }: Thread, name: Name): LongReads[Name] => {
    const read = (...asked: unknown[]) =>
      run("long_read", { database, name, asked } satisfies LongRead);
    return read as LongReads[Name];
  };
  return {
    matchWords: through(knowledge, "matchWords"),
    matchMeaning: through(knowledge, "matchMeaning"),
    findEntities: through(graphs, "findEntities"),
  };
}
