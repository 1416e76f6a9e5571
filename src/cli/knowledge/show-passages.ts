import { excerptOf, placeInFile } from "#engine/knowledge/citation.ts";
import type { Passage } from "#engine/knowledge/search-operation.ts";
import { sanitizeLine } from "../chat/sanitize.ts";
import { cutToColumns } from "../chat/text-width.ts";
import { table } from "../table.ts";

/** Where a terminal does not say how wide it is. */
const COLUMNS = 120;
const SOURCE_COLUMNS = 48;
const EXCERPT_COLUMNS_MIN = 30;
/** Score, range and what is between the columns. */
const OTHER_COLUMNS = 26;

/** Best first: how well each fits, where it stands, and how it begins. */
export function passageTable(passages: readonly Passage[], columns = COLUMNS): string {
  const sources = passages.map((passage) =>
    cutToColumns(
      [passage.file_name, placeInFile(passage)].map(sanitizeLine).filter(Boolean).join(" · "),
      SOURCE_COLUMNS,
    ),
  );
  const room = columns - OTHER_COLUMNS - Math.max(6, ...sources.map(({ length }) => length));
  return table(
    ["SCORE", "SOURCE", "CHARACTERS", "EXCERPT"],
    passages.map(({ score, start, end, text }, at) => [
      score.toFixed(2),
      sources[at] ?? "",
      `${start}-${end}`,
      cutToColumns(sanitizeLine(excerptOf(text)), Math.max(EXCERPT_COLUMNS_MIN, room)),
    ]),
  );
}
