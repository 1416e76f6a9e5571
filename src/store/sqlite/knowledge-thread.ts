import type { Match, MeaningSearch, WordSearch } from "#engine/knowledge/chunk.ts";
import { type ConnectOptions, connect } from "./database.ts";
import { type ChunkMatchers, chunkMatchers } from "./knowledge-search.ts";

/** The database, and what to look for in it: all that a thread is told. */
export interface MatchRequest<Kind extends "words" | "meaning"> {
  readonly database: ConnectOptions;
  readonly search: Kind extends "words" ? WordSearch : MeaningSearch;
}

export const matchWords = ({ database, search }: MatchRequest<"words">): Promise<Match[]> =>
  matchersOf(database).matchWords(search);

export const matchMeaning = ({ database, search }: MatchRequest<"meaning">): Promise<Match[]> =>
  matchersOf(database).matchMeaning(search);

let opened: ChunkMatchers | undefined;

/** A thread serves one database, with a connection of its own. */
function matchersOf(database: ConnectOptions): ChunkMatchers {
  opened ??= chunkMatchers(connect({ ...database, readonly: true }));
  return opened;
}

/** Has both searches run elsewhere: `run` takes them to a thread. */
export const matchersThrough = (
  run: (task: string, input: unknown) => Promise<unknown>,
  database: ConnectOptions,
): ChunkMatchers => ({
  matchWords: async (search) => (await run("match_words", { database, search })) as Match[],
  matchMeaning: async (search) => (await run("match_meaning", { database, search })) as Match[],
});
