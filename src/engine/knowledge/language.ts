import type { TextIndex } from "./chunk.ts";

const WORD = /[\p{L}\p{N}\p{M}_]+/gu;
const LETTER = /\p{L}/gu;
const FOREIGN_LETTER = /(?![a-z])\p{L}/giu;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const CJK_RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;

/** More of them than this share, and a text is not English. */
const FOREIGN_SHARE = 0.03;
const CJK_SHARE = 0.2;
/** So much of a text tells its language. */
const LOOKED_AT = 2_000;
const TRIGRAM = 3;

const setOf = (words: string) => new Set(words.split(" "));
const ENGLISH = setOf(
  "a about after all an and any are as at be because been but by can could did do does for from get had has have he her his how i if in into is it its me more my no not of on one or our out she should so some such than that the their them then there these they this to up was we were what when where which who why will with would you your",
);
/** The most frequent words of the languages that are written much like English. */
const OTHERS = setOf(
  "aber als auch auf aus bei das dem den der des die durch ein eine einem einen einer es für hat ich ist kann mit nach nicht noch oder sich sie sind und vom von vor wenn werden wie wird wir zu zum zur le la les des un une du et en est que qui dans pour par sur avec ce sont el los las una de y por con para del se il di che non per sono della een het van zijn niet voor met o os as do da em um uma não och att det som på jest nie się",
);

/** By what a text is best found; a name or a number counts as English, whose words keep their form. */
export function textIndexOf(text: string): TextIndex {
  const sample = text.slice(0, LOOKED_AT);
  const letters = sample.match(LETTER)?.length ?? 0;
  if (letters === 0) return "words";
  if ((sample.match(CJK)?.length ?? 0) > CJK_SHARE * letters) return "pairs";
  if ((sample.match(FOREIGN_LETTER)?.length ?? 0) > FOREIGN_SHARE * letters) return "trigrams";
  const words = wordsOf(sample);
  const english = words.filter((word) => ENGLISH.has(word)).length;
  const other = words.filter((word) => OTHERS.has(word)).length;
  return other > english ? "trigrams" : "words";
}

/** A single word, or an identifier: what is looked for is the thing of that name, not what is like it. */
export const isName = (query: string): boolean => !/\s/.test(query.trim());

/** A text as its index takes it: only Chinese and the like must be cut up before. */
export const indexedText = (index: TextIndex, text: string): string =>
  index === "pairs" ? text.replace(CJK_RUN, (run) => ` ${pairsOf(run).join(" ")} `) : text;

/** What to look for in an index; each is free of any character that means something to a query language. */
export function searchTerms(index: TextIndex, query: string): string[] {
  return [...new Set(termsOf(index, query))].slice(0, TERMS_MAX);
}

/** The rest of a query that long adds nothing but time. */
const TERMS_MAX = 200;

function termsOf(index: TextIndex, query: string): string[] {
  const words = wordsOf(query);
  switch (index) {
    case "words": {
      const telling = words.filter((word) => !ENGLISH.has(word));
      return telling.length > 0 ? telling : words;
    }
    case "trigrams":
      return words.flatMap(trigramsOf);
    case "pairs":
      return words.flatMap((word) => wordsOf(indexedText("pairs", word)));
  }
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];

const trigramsOf = (word: string): string[] => windows([...word], TRIGRAM);

/** A single character stands for itself. */
function pairsOf(run: string): string[] {
  const characters = [...run];
  return characters.length === 1 ? characters : windows(characters, 2);
}

const windows = (characters: readonly string[], size: number): string[] =>
  characters
    .slice(0, Math.max(0, characters.length - size + 1))
    .map((_, at) => characters.slice(at, at + size).join(""));
