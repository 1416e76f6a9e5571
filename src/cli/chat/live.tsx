import { Text, useCursor } from "ink";
import type { LiveRegion } from "./live-layout.ts";
import { type PaintOptions, paintLines } from "./paint.ts";

interface LiveProps {
  readonly region: LiveRegion;
  readonly paint: PaintOptions;
}

/** What still changes, with the terminal's real cursor where the text goes, as input methods need it. */
export function Live({ region, paint }: LiveProps) {
  const { setCursorPosition } = useCursor();
  setCursorPosition({ ...region.cursor });
  return <Text wrap="truncate-end">{paintLines(region.lines, paint)}</Text>;
}
