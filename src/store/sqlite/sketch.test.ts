import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nearestSketches, signsOf } from "./sketch.ts";

const blockOf = (vectors: readonly Float32Array[], first_id = 1) => ({
  vector_ids: new Uint8Array(Uint32Array.from(vectors, (_, at) => first_id + at).buffer),
  signs: Buffer.concat(vectors.map(signsOf)),
});

const vector = (...numbers: number[]) => Float32Array.from(numbers);

describe("sketches", () => {
  test("are nearest when most signs agree", () => {
    const block = blockOf([vector(1, 1, 1), vector(1, 1, -1), vector(-1, -1, -1)]);
    expect(nearestSketches([block], vector(0.2, 0.9, 0.1), 1)).toEqual([1]);
    expect(nearestSketches([block], vector(0.2, 0.9, 0.1), 2)).toEqual([1, 2]);
  });

  test("are all found when fewer are there than wanted", () => {
    const blocks = [blockOf([vector(1, 1)]), blockOf([vector(-1, -1)], 7)];
    expect(nearestSketches(blocks, vector(1, 1), 10)).toEqual([1, 7]);
    expect(nearestSketches([], vector(1, 1), 10)).toEqual([]);
  });

  test("of vectors of another length are left out", () => {
    const blocks = [blockOf([new Float32Array(64)]), blockOf([new Float32Array(384)], 5)];
    expect(nearestSketches(blocks, new Float32Array(384), 10)).toEqual([5]);
  });

  test("differ in as many bits as signs, wherever a blob begins in memory", () => {
    const numbers = fc.array(fc.double({ noNaN: true }), { minLength: 70, maxLength: 70 });
    fc.assert(
      fc.property(numbers, numbers, (left, right) => {
        const [one, other] = [Float32Array.from(left), Float32Array.from(right)];
        const { vector_ids, signs } = blockOf([other, one]);
        const shifted = Buffer.concat([Buffer.alloc(1), signs]).subarray(1);
        const [nearest] = nearestSketches([{ vector_ids, signs: shifted }], one, 1);
        const differing = one.filter((number, at) => number > 0 !== (other[at] ?? 0) > 0).length;
        expect(nearest).toBe(differing === 0 ? 1 : 2);
      }),
    );
  });
});
