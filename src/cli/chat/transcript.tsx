import { Static, Text } from "ink";
import type { Entry } from "./chat-entries.ts";
import { entryLines, type Scene } from "./entry-layout.ts";
import { type PaintOptions, paintLines } from "./paint.ts";

interface TranscriptProps {
  readonly entries: readonly Entry[];
  readonly scene: Scene;
  readonly paint: PaintOptions;
}

/** Finished entries: written once into the terminal's own scrollback, and never touched again. */
export const Transcript = ({ entries, scene, paint }: TranscriptProps) => (
  <Static items={[...entries]}>
    {(entry, index) => (
      <Text key={entry.id}>{paintLines(entryLines(entry, entries[index - 1], scene), paint)}</Text>
    )}
  </Static>
);
