/**
 * The embedded model once more, as its paper describes it: in double precision and plain loops, from the
 * package's own files. It shares nothing with the kernel, which is held to it.
 */
import type { SourceTensor } from "../../scripts/embedding-model.ts";

const WIDTH = 384;
const HEAD = 32;
const LAYERS = 6;

type Rows = Float64Array[];
export type Tensors = ReadonlyMap<string, SourceTensor>;

export function referenceVector(tensors: Tensors, ids: readonly number[]): Float64Array {
  const { dense, norm, row } = parts(tensors);
  let rows = ids.map((id, at) => sum(row("words", id), row("positions", at), row("segments", 0)));
  rows = norm(rows, "");
  for (let layer = 0; layer < LAYERS; layer += 1) {
    const of = (name: string) => dense(rows, `${layer}.${name}`);
    const attended = dense(attention(of("query"), of("key"), of("value")), `${layer}.attended`);
    rows = norm(added(rows, attended), `${layer}.attended_`);
    const inner = of("inner").map((values) => values.map(gelu));
    rows = norm(added(rows, dense(inner, `${layer}.outer`)), `${layer}.outer_`);
  }
  const total = sum(...rows);
  const length = Math.hypot(...total);
  return total.map((value) => value / length);
}

function parts(tensors: Tensors) {
  const tensor = (name: string): SourceTensor => {
    const found = tensors.get(name);
    if (!found) throw new Error(`there is no tensor ${name}`);
    return found;
  };
  const numbers = (name: string, from = 0, to?: number): Float64Array => {
    const { bytes, min, scale } = tensor(name);
    return Float64Array.from(bytes.subarray(from, to), (byte) => min + scale * byte);
  };
  return {
    row: (name: string, at: number) => numbers(name, at * WIDTH, (at + 1) * WIDTH),
    dense(rows: Rows, name: string): Rows {
      const [weights, bias] = [numbers(name), numbers(`${name}_bias`)];
      return rows.map((input) => {
        const output = bias.slice();
        for (let depth = 0; depth < input.length; depth += 1) {
          const value = input[depth] as number;
          const start = depth * bias.length;
          for (let column = 0; column < bias.length; column += 1)
            output[column] =
              (output[column] as number) + value * (weights[start + column] as number);
        }
        return output;
      });
    },
    norm(rows: Rows, name: string): Rows {
      const [gain, shift] = [numbers(`${name}gain`), numbers(`${name}shift`)];
      return rows.map((input) => {
        const mean = total(input) / input.length;
        const variance = total(input.map((value) => (value - mean) ** 2)) / input.length;
        const deviation = Math.sqrt(variance + 1e-12);
        return input.map(
          (value, at) =>
            ((value - mean) / deviation) * (gain[at] as number) + (shift[at] as number),
        );
      });
    },
  };
}

function attention(queries: Rows, keys: Rows, values: Rows): Rows {
  return queries.map((query) => {
    const output = new Float64Array(WIDTH);
    for (let head = 0; head < WIDTH; head += HEAD) {
      const own = query.subarray(head, head + HEAD);
      const scores = keys.map((key) => product(own, key.subarray(head, head + HEAD)));
      const weights = scores.map((score) => Math.exp(score / Math.sqrt(HEAD)));
      const whole = total(weights);
      for (const [at, weight] of weights.entries()) {
        for (let column = head; column < head + HEAD; column += 1)
          output[column] =
            (output[column] as number) + (weight / whole) * (values[at]?.[column] as number);
      }
    }
    return output;
  });
}

const total = (values: ArrayLike<number>): number => product(values);

function product(left: ArrayLike<number>, right?: ArrayLike<number>): number {
  let result = 0;
  for (let at = 0; at < left.length; at += 1)
    result += (left[at] as number) * (right ? (right[at] as number) : 1);
  return result;
}

const sum = (...rows: Rows): Float64Array =>
  new Float64Array(WIDTH).map((_, at) => rows.reduce((whole, row) => whole + (row[at] ?? 0), 0));
const added = (left: Rows, right: Rows): Rows =>
  left.map((row, at) => sum(row, right[at] ?? new Float64Array()));
const gelu = (x: number): number => 0.5 * x * (1 + erf(x / Math.SQRT2));

/** By its Taylor series; beyond 5 it is 1 to all digits. */
function erf(x: number): number {
  if (Math.abs(x) > 5) return Math.sign(x);
  let term = x;
  let result = x;
  for (let n = 1; n < 120; n += 1) {
    term *= -(x * x) / n;
    result += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * result;
}

export const cosine = (left: ArrayLike<number>, right: ArrayLike<number>): number =>
  product(left, right) / Math.sqrt(product(left, left) * product(right, right));
