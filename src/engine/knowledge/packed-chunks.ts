import type { Chunk } from "./chunk.ts";

/** Chunks on their way between threads: all their text in one piece, which is handed over, not copied. */
export interface PackedChunks {
  readonly text: Uint8Array<ArrayBuffer>;
  readonly places: readonly Omit<Chunk, "text" | "seq">[];
}

export function packChunks(chunks: readonly Chunk[]): PackedChunks {
  const bytes = chunks.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const packed = new Uint8Array(bytes);
  const encoder = new TextEncoder();
  let at = 0;
  // One by one, so that a large text is in memory once more and not twice.
  for (const { text } of chunks) at += encoder.encodeInto(text, packed.subarray(at)).written;
  return { text: packed, places: chunks.map(({ text: _, seq: __, ...place }) => place) };
}

/** The chunks tile their text, so each begins where the one before it ended. */
export function unpackChunks({ text: packed, places }: PackedChunks): Chunk[] {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(packed);
  let at = 0;
  return places.map((place, seq) => {
    const from = at;
    at += place.end - place.start;
    return { seq, ...place, text: text.slice(from, at) };
  });
}
