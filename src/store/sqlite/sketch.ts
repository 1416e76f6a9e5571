/**
 * A vector's sketch is the sign of each of its numbers, one bit each: of two vectors that point the same way
 * most agree. Sketches are compared many times faster than vectors, to find those worth comparing.
 */

const BITS = 32;

/** In whole words of 32 bits. */
export function signsOf(vector: Float32Array): Uint8Array {
  const words = new Uint32Array(Math.ceil(vector.length / BITS));
  for (const [at, number] of vector.entries()) {
    if (number > 0) words[at >>> 5] = (words[at >>> 5] ?? 0) | (1 << (at & 31));
  }
  return new Uint8Array(words.buffer);
}

export const idsOf = (bytes: Uint8Array): Uint32Array => wordsOf(bytes);

/** A blob's words; it is copied where it does not begin at one. */
function wordsOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  if (byteOffset % 4 === 0) return new Uint32Array(buffer, byteOffset, byteLength >>> 2);
  return new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

/** Sketches that belong together: in the order of their ids. */
export interface SketchBlock {
  readonly vector_ids: Uint8Array;
  readonly signs: Uint8Array;
}

/** The ids of those sketches that agree best with the one of `vector`; at least `count`, if there are. */
export function nearestSketches(
  blocks: Iterable<SketchBlock>,
  vector: Float32Array,
  count: number,
): number[] {
  const wanted = wordsOf(signsOf(vector));
  const compared: { ids: Uint32Array; distances: Uint16Array }[] = [];
  const frequencies = new Uint32Array(wanted.length * BITS + 1);
  for (const { vector_ids, signs } of blocks) {
    const ids = idsOf(vector_ids);
    // Vectors of another length come from another model, whatever its name says.
    if (ids.length * wanted.length * 4 !== signs.byteLength) continue;
    const distances = distancesOf(wordsOf(signs), wanted, frequencies);
    compared.push({ ids, distances });
  }
  const limit = farthestOf(frequencies, count);
  const found: number[] = [];
  for (const { ids, distances } of compared) {
    for (let at = 0; at < ids.length; at += 1) {
      if ((distances[at] as number) <= limit) found.push(ids[at] as number);
    }
  }
  return found;
}

/** In how many bits each sketch differs from the wanted one; also counted in `frequencies`. */
function distancesOf(
  signs: Uint32Array,
  wanted: Uint32Array,
  frequencies: Uint32Array,
): Uint16Array {
  const width = wanted.length;
  const distances = new Uint16Array(signs.length / width);
  for (let at = 0, place = 0; at < distances.length; at += 1) {
    let distance = 0;
    for (let word = 0; word < width; word += 1, place += 1) {
      // The bits of a word, counted by twos, fours and bytes.
      let bits = (signs[place] as number) ^ (wanted[word] as number);
      bits -= (bits >>> 1) & 0x55555555;
      bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
      distance += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
    distances[at] = distance;
    frequencies[distance] = (frequencies[distance] as number) + 1;
  }
  return distances;
}

/** The distance within which so many lie. */
function farthestOf(frequencies: Uint32Array, count: number): number {
  let sum = 0;
  for (const [distance, frequency] of frequencies.entries()) {
    sum += frequency;
    if (sum >= count) return distance;
  }
  return frequencies.length;
}
