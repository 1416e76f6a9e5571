/** A passage of a file's text: what is found, and where it stands. The passages of a file tile its text. */
export interface Chunk {
  /** Its place among the file's chunks, from 0. */
  readonly seq: number;
  /** Characters of the extracted text: from `start` up to, and without, `end`. */
  readonly start: number;
  readonly end: number;
  /** From 1; of files that have pages. */
  readonly page?: number | undefined;
  /** The headings above it, outermost first; empty texts stand for levels that were left out. */
  readonly headings: readonly string[];
  readonly text: string;
}

/** Which index serves a text: words for English, trigrams for other scripts, pairs for Chinese and the like. */
export type TextIndex = "words" | "trigrams" | "pairs";

export interface ChunkRecord extends Chunk {
  readonly file_id: string;
  readonly index: TextIndex;
  /** With its headings, and cut up as its index needs it. */
  readonly indexed_text: string;
}

/** So much of what is above a passage is kept with it, from the innermost heading on. */
const HEADING_CHARACTERS_MAX = 256;

/** What a passage is about is often said above it only. */
export const headingPath = (headings: readonly string[]): string =>
  headings.filter(Boolean).join("\n").slice(-HEADING_CHARACTERS_MAX);

/** A passage as it is indexed. */
export const withHeadings = ({ headings, text }: Pick<Chunk, "headings" | "text">): string =>
  [headingPath(headings), text].filter(Boolean).join("\n");

export interface StoredChunk extends Chunk {
  readonly id: number;
  readonly file_id: string;
}

/** Where a search looks: in files that are ready, of these knowledge bases. */
export interface SearchPlace {
  readonly knowledge_base_ids: readonly string[];
  /** A part of the file's name, whatever its case. */
  readonly file?: string | undefined;
}

export interface WordSearch extends SearchPlace {
  readonly index: TextIndex;
  /** Any of them; letters and digits only. */
  readonly terms: readonly string[];
  readonly limit: number;
}

export interface MeaningSearch extends SearchPlace {
  /** Vectors can be compared with those of their own space only. */
  readonly space: string;
  readonly vector: Float32Array;
  readonly limit: number;
}

export interface MeaningComparison extends Pick<MeaningSearch, "space" | "vector"> {
  readonly ids: readonly number[];
}

export interface Match {
  readonly id: number;
  /** Higher is better. Of words: BM25, which has no upper end; of meaning: the cosine. */
  readonly score: number;
}

/** A chunk with the names that a reader knows it by. */
export interface NamedChunk extends StoredChunk {
  readonly file_name: string;
  readonly knowledge_base: string;
}

export interface ChunkVector {
  readonly chunk_id: number;
  readonly vector: Float32Array;
}

export interface ChunkReads {
  /** Best first. */
  matchWords(search: WordSearch): Promise<Match[]>;
  /** Best first. */
  matchMeaning(search: MeaningSearch): Promise<Match[]>;
  /** In any order; without those that have no vector in this space. */
  compareMeaning(comparison: MeaningComparison): Promise<Match[]>;
  listNamed(ids: readonly number[]): Promise<NamedChunk[]>;
  count(file_id: string): Promise<number>;
  /** Those that have no vector in this space, in order. */
  listWithoutVector(file_id: string, space: string, limit: number): Promise<StoredChunk[]>;
}

export interface ChunkWrites extends ChunkReads {
  /** Chunks that are there already stay as they are. */
  insert(chunks: readonly ChunkRecord[]): Promise<void>;
  /** Beside those of other spaces. */
  insertVectors(file_id: string, space: string, vectors: readonly ChunkVector[]): Promise<void>;
  /** No search needs vectors of other spaces any more; they are swept up later. */
  retireSpaces(knowledge_base_id: string, kept_space: string): Promise<void>;
  /** Removes chunks of deleted files, as many as said; false when there was nothing to remove. */
  sweep(limit: number): Promise<boolean>;
  /** The same for vectors of spaces that are not used any more. */
  sweepVectors(): Promise<boolean>;
}
