/** A passage of a file's text: what is found, and where it stands. The passages of a file tile its text. */
export interface Chunk {
  /** Its place among the file's chunks, from 0. */
  readonly seq: number;
  /** Characters of the extracted text: from `start` up to, and without, `end`. */
  readonly start: number;
  readonly end: number;
  /** From 1; of files that have pages. */
  readonly page?: number | undefined;
  /** The headings above it, outermost first. */
  readonly headings: readonly string[];
  readonly text: string;
}

/** Which index serves a text: words for English, trigrams for other scripts, pairs for Chinese and the like. */
export type TextIndex = "words" | "trigrams" | "pairs";

export interface ChunkRecord extends Chunk {
  readonly file_id: string;
  readonly index: TextIndex;
}

/** A chunk that waits for its vector. */
export interface PendingChunk extends Chunk {
  readonly id: number;
}

export interface ChunkSearch {
  readonly knowledge_base_ids: readonly string[];
  readonly file_name?: string | undefined;
  readonly query: string;
  readonly limit: number;
  /** Beside the words, what the query means, as this model sees it. */
  readonly meaning?: { readonly model: string; readonly vector: Float32Array } | undefined;
  /** Chunks that are further from the query's meaning are left out. */
  readonly similarity_threshold?: number | undefined;
}

export interface FoundChunk extends Chunk {
  readonly file_id: string;
  readonly file_name: string;
  readonly knowledge_base: string;
  /** From 0 to 1; higher is better. Of one search only: not comparable between searches. */
  readonly score: number;
}

export interface ChunkReads {
  /** Whole texts only: nothing of a file that is not ready. Best first. */
  search(search: ChunkSearch): Promise<FoundChunk[]>;
  count(file_id: string): Promise<number>;
  /** Those without a vector, in order. */
  listPending(file_id: string, limit: number): Promise<PendingChunk[]>;
}

export interface ChunkWrites extends ChunkReads {
  /** Chunks that are there already stay as they are. */
  insert(chunks: readonly ChunkRecord[]): Promise<void>;
  setVectors(
    model: string,
    vectors: readonly { readonly id: number; readonly vector: Float32Array }[],
  ): Promise<void>;
  /** Removes chunks whose file is gone; returns how many. */
  sweep(limit: number): Promise<number>;
}
