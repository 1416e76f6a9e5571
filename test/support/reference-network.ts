/**
 * The embedded model once more, as its paper describes it: in plain double precision, from the package's
 * own files, and sharing nothing with the kernel. Slow, and there to hold the kernel to.
 */
import type { SourceTensor } from "../../scripts/embedding-model.ts";

type Rows = Float64Array[];

export function referenceVector(
  tensors: ReadonlyMap<string, SourceTensor>,
  ids: readonly number[],
): number[] {
  const numbers = (name: string): Float64Array => {
    const tensor = tensors.get(name);
    if (!tensor) throw new Error(`no tensor ${name}`);
    return Float64Array.from(tensor.bytes, (byte) => tensor.min + tensor.scale * byte);
  };
  const row = (name: string, at: number): Float64Array => {
    const tensor = tensors.get(name);
    if (!tensor) throw new Error(`no tensor ${name}`);
    const bytes = tensor.bytes.subarray(at * 384, (at + 1) * 384);
    return Float64Array.from(bytes, (byte) => tensor.min + tensor.scale * byte);
  };
  const dense = (rows: Rows, name: string): Rows => {
    const [weights, bias] = [numbers(name), numbers(`${name}_bias`)];
    return rows.map((input) =>
      bias.map((offset, column) =>
        input.reduce(
          (sum, value, depth) => sum + value * (weights[depth * bias.length + column] ?? 0),
          offset,
        ),
      ),
    );
  };
  const norm = (rows: Rows, name: string): Rows => {
    const [gain, shift] = [numbers(`${name}gain`), numbers(`${name}shift`)];
    return rows.map((input) => {
      const mean = sum(input) / input.length;
      const variance = sum(input.map((value) => (value - mean) ** 2)) / input.length;
      return input.map(
        (value, at) =>
          ((value - mean) / Math.sqrt(variance + 1e-12)) * (gain[at] ?? 0) + (shift[at] ?? 0),
      );
    });
  };

  const segment = row("segments", 0);
  let rows = norm(
    ids.map((id, at) => added(added(row("words", id), row("positions", at)), segment)),
    "",
  );
  for (let layer = 0; layer < 6; layer += 1) {
    const [query, key, value] = ["query", "key", "value"].map((name) =>
      dense(rows, `${layer}.${name}`),
    ) as [Rows, Rows, Rows];
    const attended = dense(attention(query, key, value), `${layer}.attended`);
    rows = norm(
      rows.map((input, at) => added(input, attended[at])),
      `${layer}.attended_`,
    );
    const inner = dense(rows, `${layer}.inner`).map((input) => input.map(gelu));
    const outer = dense(inner, `${layer}.outer`);
    rows = norm(
      rows.map((input, at) => added(input, outer[at])),
      `${layer}.outer_`,
    );
  }
  const total = rows.reduce((left, right) => added(left, right));
  const length = Math.sqrt(sum(total.map((value) => value ** 2)));
  return [...total.map((value) => value / length)];
}

function attention(query: Rows, key: Rows, value: Rows): Rows {
  const out = query.map(() => new Float64Array(384));
  for (let head = 0; head < 384; head += 32) {
    for (const [at, asking] of query.entries()) {
      const scores = key.map((asked) => {
        let score = 0;
        for (let column = head; column < head + 32; column += 1)
          score += (asking[column] ?? 0) * (asked[column] ?? 0);
        return score / Math.sqrt(32);
      });
      const peak = Math.max(...scores);
      const weights = scores.map((score) => Math.exp(score - peak));
      const whole = sum(weights);
      for (let column = head; column < head + 32; column += 1)
        (out[at] as Float64Array)[column] = weights.reduce(
          (mixed, weight, other) => mixed + (weight / whole) * (value[other]?.[column] ?? 0),
          0,
        );
    }
  }
  return out;
}

const sum = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((left, right) => left + right, 0);
const added = (left: Float64Array, right: Float64Array | undefined): Float64Array =>
  left.map((value, at) => value + (right?.[at] ?? 0));
const gelu = (x: number): number => 0.5 * x * (1 + erf(x / Math.SQRT2));

/** By its Taylor series, exact to the last digits for what occurs; beyond 5 it is 1. */
function erf(x: number): number {
  if (Math.abs(x) > 5) return Math.sign(x);
  let term = x;
  let total = x;
  for (let n = 1; n < 120; n += 1) {
    term *= -(x * x) / n;
    total += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * total;
}
