/** The shape of the embedded model, all-MiniLM-L6-v2: a BERT of six layers. */
export const SHAPE = {
  layers: 6,
  width: 384,
  inner: 1536,
  vocabulary: 30_522,
  positions: 512,
} as const;

/**
 * How a tensor is kept: a `table` of rows and a `matrix` in eight bits, behind a header of two 32-bit
 * floats that turn them back; a `vector` in 32-bit floats. A matrix is laid out as the kernel reads it.
 */
export interface Tensor {
  readonly kind: "table" | "matrix" | "vector";
  /** Of a matrix: its depth. */
  readonly rows: number;
  readonly columns: number;
}

export const HEADER_BYTES = 16;

const { width, inner, vocabulary, positions } = SHAPE;
const vector = (columns: number): Tensor => ({ kind: "vector", rows: 1, columns });
const matrix = (rows: number, columns: number): Tensor => ({ kind: "matrix", rows, columns });
const table = (rows: number): Tensor => ({ kind: "table", rows, columns: width });

const EMBEDDING = {
  words: table(vocabulary),
  positions: table(positions),
  segments: table(2),
  gain: vector(width),
  shift: vector(width),
} as const satisfies Record<string, Tensor>;

const LAYER = {
  query: matrix(width, width),
  query_bias: vector(width),
  key: matrix(width, width),
  key_bias: vector(width),
  value: matrix(width, width),
  value_bias: vector(width),
  attended: matrix(width, width),
  attended_bias: vector(width),
  attended_gain: vector(width),
  attended_shift: vector(width),
  inner: matrix(width, inner),
  inner_bias: vector(inner),
  outer: matrix(inner, width),
  outer_bias: vector(width),
  outer_gain: vector(width),
  outer_shift: vector(width),
} as const satisfies Record<string, Tensor>;

export type EmbeddingPlaces = { readonly [Name in keyof typeof EMBEDDING]: number };
export type LayerPlaces = { readonly [Name in keyof typeof LAYER]: number };

export interface WeightPlaces {
  readonly embedding: EmbeddingPlaces;
  readonly layers: readonly LayerPlaces[];
  readonly bytes: number;
}

/** Where each tensor stands in the file of weights, which the build writes and the kernel reads. */
export function weightPlaces(): WeightPlaces {
  let bytes = 0;
  const placesOf = <Names extends string>(tensors: Readonly<Record<Names, Tensor>>) =>
    Object.fromEntries(
      Object.entries<Tensor>(tensors).map(([name, tensor]) => {
        const start = bytes;
        bytes += sizeOf(tensor);
        return [name, start];
      }),
    ) as Readonly<Record<Names, number>>;
  const embedding = placesOf(EMBEDDING);
  const layers = Array.from({ length: SHAPE.layers }, () => placesOf(LAYER));
  return { embedding, layers, bytes };
}

/** Every tensor by a name such as `words` or `3.query`, in the order of the file. */
export const TENSORS: Readonly<Record<string, Tensor>> = {
  ...EMBEDDING,
  ...Object.fromEntries(
    Array.from({ length: SHAPE.layers }, (_, layer) =>
      Object.entries(LAYER).map(([name, tensor]) => [`${layer}.${name}`, tensor] as const),
    ).flat(),
  ),
};

export const sizeOf = ({ kind, rows, columns }: Tensor): number =>
  kind === "vector" ? columns * 4 : HEADER_BYTES + rows * columns;
