import { type LayerPlaces, SHAPE, type WeightPlaces, weightPlaces } from "./weights.ts";

/** Longer inputs are cut: the model was trained on no more. */
export const TOKENS_MAX = 256;

/** What a kernel does; addresses and sizes in its memory, see `assembly/embedding.ts`. */
interface Kernel {
  lookUp(
    ids: number,
    count: number,
    words: number,
    places: number,
    kinds: number,
    out: number,
  ): void;
  quantize(
    from: number,
    rows: number,
    width: number,
    limit: number,
    out: number,
    notes: number,
  ): void;
  multiply(
    rows: number,
    notes: number,
    count: number,
    depth: number,
    matrix: number,
    bias: number,
    columns: number,
    out: number,
  ): void;
  attend(
    queries: number,
    keys: number,
    values: number,
    count: number,
    turned: number,
    scores: number,
    out: number,
  ): void;
  normalize(rows: number, more: number, count: number, gain: number, shift: number): void;
  gelu(values: number, count: number): void;
  pool(rows: number, count: number, out: number): void;
}

/** The model, ready to work; one instance serves one query and one passage at a time. */
export interface Network {
  /**
   * Works on a text layer by layer, so that something more urgent can be done between two; the last value
   * is its vector, of length 1. At most `TOKENS_MAX` ids. Passages and queries have room of their own.
   */
  work(ids: readonly number[], purpose: Purpose): Generator<undefined, Float32Array, undefined>;
}

export type Purpose = "query" | "passage";

const { width, inner } = SHAPE;
const HEAD_WIDTH = 32;
const PAGE_BYTES = 65_536;
/** The sum of so many products of 16 and 8 bits stays within 32. */
const largestOf = (depth: number): number => Math.floor(2 ** 31 / (depth * 128)) - 1;
const INTEGER_MAX = 32_767;

/** Throws when the kernel or the weights are not what they should be. */
export async function createNetwork(
  kernel: Uint8Array<ArrayBuffer>,
  weights: Uint8Array,
): Promise<Network> {
  const places = weightPlaces();
  if (weights.byteLength !== places.bytes)
    throw new Error("the embedded model's weights are cut off");
  const first = roomOf(aligned(places.bytes));
  const rooms = { query: first, passage: roomOf(first.end) };
  const memory = new WebAssembly.Memory({ initial: Math.ceil(rooms.passage.end / PAGE_BYTES) });
  new Uint8Array(memory.buffer).set(weights);
  const { instance } = await WebAssembly.instantiate(kernel, { env: { memory } });
  const { exports } = instance as unknown as { exports: Kernel };
  return {
    work: (ids, purpose) => work({ kernel: exports, memory, places, room: rooms[purpose] }, ids),
  };
}

type Room = ReturnType<typeof roomOf>;

/** Where one text's numbers are while it is worked on. */
function roomOf(start: number) {
  const rows = TOKENS_MAX;
  let end = start;
  const take = (bytes: number): number => {
    const at = end;
    end = aligned(end + bytes);
    return at;
  };
  const floats = (count: number) => take(count * 4);
  return {
    ids: floats(rows),
    rows: floats(rows * width),
    query: floats(rows * width),
    key: floats(rows * width),
    value: floats(rows * width),
    attended: floats(rows * width),
    inner: floats(rows * inner),
    numbers: take(rows * inner * 2),
    notes: floats(rows * 2),
    turned: floats(rows * HEAD_WIDTH),
    scores: floats(rows),
    vector: floats(width),
    end,
  };
}

const aligned = (bytes: number): number => Math.ceil(bytes / 16) * 16;

interface Bench {
  readonly kernel: Kernel;
  readonly memory: WebAssembly.Memory;
  readonly places: WeightPlaces;
  readonly room: Room;
}

function* work(
  bench: Bench,
  ids: readonly number[],
): Generator<undefined, Float32Array, undefined> {
  const { kernel, memory, places, room } = bench;
  const count = Math.min(ids.length, TOKENS_MAX);
  const { words, positions, segments, gain, shift } = places.embedding;
  new Int32Array(memory.buffer, room.ids, count).set(ids.slice(0, count));
  kernel.lookUp(room.ids, count, words, positions, segments, room.rows);
  kernel.normalize(room.rows, 0, count, gain, shift);
  for (const layer of places.layers) {
    runLayer(bench, layer, count);
    yield;
  }
  kernel.pool(room.rows, count, room.vector);
  return new Float32Array(memory.buffer, room.vector, width).slice();
}

function runLayer({ kernel, room }: Bench, layer: LayerPlaces, count: number): void {
  const quantize = (from: number, depth: number) => {
    const limit = Math.min(INTEGER_MAX, largestOf(depth));
    kernel.quantize(from, count, depth, limit, room.numbers, room.notes);
  };
  const multiply = (depth: number, matrix: number, bias: number, columns: number, out: number) =>
    kernel.multiply(room.numbers, room.notes, count, depth, matrix, bias, columns, out);

  quantize(room.rows, width);
  multiply(width, layer.query, layer.query_bias, width, room.query);
  multiply(width, layer.key, layer.key_bias, width, room.key);
  multiply(width, layer.value, layer.value_bias, width, room.value);
  kernel.attend(room.query, room.key, room.value, count, room.turned, room.scores, room.attended);
  quantize(room.attended, width);
  multiply(width, layer.attended, layer.attended_bias, width, room.query);
  kernel.normalize(room.rows, room.query, count, layer.attended_gain, layer.attended_shift);
  quantize(room.rows, width);
  multiply(width, layer.inner, layer.inner_bias, inner, room.inner);
  kernel.gelu(room.inner, count * inner);
  quantize(room.inner, inner);
  multiply(inner, layer.outer, layer.outer_bias, width, room.query);
  kernel.normalize(room.rows, room.query, count, layer.outer_gain, layer.outer_shift);
}
