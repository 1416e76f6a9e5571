import type { AnswerKey } from "./answer-keys.ts";
import { previousGrapheme } from "./composer-moves.ts";
import { sanitize } from "./sanitize.ts";

/** The search through earlier prompts. Pure, as the composer is. */
export interface HistorySearch {
  readonly query: string;
  /** So many matches that are newer were passed over. */
  readonly older: number;
}

export const newSearch: HistorySearch = { query: "", older: 0 };

export interface SearchStep {
  /** `undefined` when the search is over. */
  readonly search: HistorySearch | undefined;
  /** The prompt that was found and is wanted. */
  readonly taken?: string | undefined;
}

/** The newest prompt with the query in it, or an older one; each is found once. */
export function findPrompt(
  history: readonly string[],
  { query, older }: HistorySearch,
): string | undefined {
  if (query === "") return undefined;
  const wanted = query.toLowerCase();
  const found = new Set(
    history.filter((prompt) => prompt.toLowerCase().includes(wanted)).reverse(),
  );
  return [...found][older];
}

export const searchOlder = (history: readonly string[], search: HistorySearch): HistorySearch => {
  const next = { ...search, older: search.older + 1 };
  return findPrompt(history, next) === undefined ? search : next;
};

/** What a key does; one that means nothing to a search ends it and leaves the message as it was. */
export function pressSearch(
  history: readonly string[],
  search: HistorySearch,
  key: AnswerKey,
): SearchStep {
  const taken = findPrompt(history, search);
  switch (key.type) {
    case "insert":
    case "paste":
      return { search: { query: search.query + oneLine(key.text), older: 0 } };
    case "edit":
      return pressEdit(search, key.edit, taken);
    case "move":
      return { search: key.direction === "up" ? searchOlder(history, search) : newer(search) };
    case "enter":
    case "next":
      return { search: undefined, taken };
    default:
      return { search: undefined };
  }
}

function pressEdit(search: HistorySearch, edit: string, taken: string | undefined): SearchStep {
  const { query } = search;
  if (edit === "backspace") {
    const length = previousGrapheme({ value: query, cursor: query.length });
    return { search: { query: query.slice(0, length), older: 0 } };
  }
  if (edit === "kill_to_start" || edit === "kill_word") return { search: newSearch };
  return { search: undefined, taken };
}

const newer = (search: HistorySearch): HistorySearch => ({
  ...search,
  older: Math.max(0, search.older - 1),
});

/** A query has one row. */
const oneLine = (text: string): string => sanitize(text).replace(/\s/g, " ");
