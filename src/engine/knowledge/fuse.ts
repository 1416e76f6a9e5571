import type { Match } from "./chunk.ts";

/** How much the meaning counts beside the words; measured in decision 0031. */
const MEANING_WEIGHT = { english: 0.7, other: 0.2 } as const;
/** What an index finds that is not of the query's language. */
const OTHER_INDEX_WEIGHT = 0.2;
/** So many of each kind are weighed against each other; the worst of so many are as good as not found. */
export const CANDIDATES = 100;

export interface Found {
  /** What each index found, and whether it is the one of the query's language; best first. */
  readonly words: readonly { readonly is_own: boolean; readonly matches: readonly Match[] }[];
  /** Best first; absent when there is no embedding model. */
  readonly meaning?: readonly Match[] | undefined;
  /** Said in English, which an embedding model understands best; a name is not said in any language. */
  readonly is_english: boolean;
}

/** One list of both, best first: scores are put on one scale and added, which beats adding up ranks. */
export function fuse({ words, meaning, is_english }: Found): Match[] {
  const share = meaning ? MEANING_WEIGHT[is_english ? "english" : "other"] : 0;
  const scaled = [
    ...words.flatMap(({ is_own, matches }) =>
      upToOne(matches, lowestOf(matches), (1 - share) * (is_own ? 1 : OTHER_INDEX_WEIGHT)),
    ),
    ...upToOne(meaning ?? [], meaning?.at(-1)?.score ?? 0, share),
  ];
  const scores = new Map<number, number>();
  for (const { id, score } of scaled) scores.set(id, (scores.get(id) ?? 0) + score);
  return [...scores]
    .map(([id, score]) => ({ id, score }))
    .sort((left, right) => right.score - left.score || left.id - right.id);
}

/** Of a list that is not full, even the last has something that others lack. */
const lowestOf = (matches: readonly Match[]): number =>
  matches.length < CANDIDATES ? 0 : (matches.at(-1)?.score ?? 0);

/** Puts scores between `lowest` and the best one's onto 0 to `weight`. */
function upToOne(matches: readonly Match[], lowest: number, weight: number): Match[] {
  const range = (matches[0]?.score ?? 0) - lowest;
  return matches.map(({ id, score }) => ({
    id,
    score: range > 0 ? (weight * (score - lowest)) / range : weight,
  }));
}
