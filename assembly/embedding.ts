/**
 * The arithmetic of the embedded embedding model, as WebAssembly with SIMD; AssemblyScript, compiled by
 * the build. It owns no memory: every argument is an address or a size, which `engine/embedding` plans.
 *
 * Matrices keep their eight bits: activations are put into 16 bits a row, so that one instruction does
 * eight multiplications. Rows are worked on by four, so buffers have room for a multiple of four of them.
 */

const WIDTH: i32 = 384;
const HEAD: i32 = 32;
const ROWS: i32 = 4;
const COLUMNS: i32 = 8;

/** A token's vector: the sum of its word's, its position's and the first segment's, all in eight bits. */
export function lookUp(
  ids: usize,
  count: i32,
  words: usize,
  places: usize,
  kinds: usize,
  out: usize,
): void {
  for (let row = 0; row < count; row++) {
    const word = words + 16 + <usize>(load<i32>(ids + ((<usize>row) << 2)) * WIDTH);
    const place = places + 16 + <usize>(row * WIDTH);
    const to = out + <usize>(row * WIDTH * 4);
    const lowest = load<f32>(words) + load<f32>(places) + load<f32>(kinds);
    for (let column: usize = 0; column < <usize>WIDTH; column++) {
      store<f32>(
        to + (column << 2),
        lowest +
          load<f32>(words, 4) * <f32>load<u8>(word + column) +
          load<f32>(places, 4) * <f32>load<u8>(place + column) +
          load<f32>(kinds, 4) * <f32>load<u8>(kinds + 16 + column),
      );
    }
  }
}

/** Puts each row into whole numbers up to `limit`; notes its scale and the sum of its numbers. */
export function quantize(
  from: usize,
  rows: i32,
  width: i32,
  limit: f32,
  out: usize,
  notes: usize,
): void {
  const end = <usize>width * 4;
  for (let row = 0; row < rows; row++) {
    const source = from + <usize>row * end;
    let largest = f32x4.splat(0);
    for (let at: usize = 0; at < end; at += 16)
      largest = f32x4.max(largest, f32x4.abs(v128.load(source + at)));
    const peak = max(
      max(f32x4.extract_lane(largest, 0), f32x4.extract_lane(largest, 1)),
      max(f32x4.extract_lane(largest, 2), f32x4.extract_lane(largest, 3)),
    );
    const factor = f32x4.splat(peak > 0 ? limit / peak : 0);
    let sum = i32x4.splat(0);
    let to = out + <usize>row * (end >> 1);
    for (let at: usize = 0; at < end; at += 32) {
      const low = f32x4.mul(v128.load(source + at), factor);
      const high = f32x4.mul(v128.load(source + at, 16), factor);
      const left = i32x4.relaxed_trunc_f32x4_s(f32x4.nearest(low));
      const right = i32x4.relaxed_trunc_f32x4_s(f32x4.nearest(high));
      sum = i32x4.add(sum, i32x4.add(left, right));
      v128.store(to, i16x8.narrow_i32x4_s(left, right));
      to += 16;
    }
    const total =
      i32x4.extract_lane(sum, 0) +
      i32x4.extract_lane(sum, 1) +
      i32x4.extract_lane(sum, 2) +
      i32x4.extract_lane(sum, 3);
    store<f32>(notes + <usize>row * 8, peak / limit);
    store<f32>(notes + <usize>row * 8, <f32>total, 4);
  }
}

/**
 * Rows times a matrix, plus a bias. The matrix is stored in blocks of eight columns: of two neighbours in
 * depth, first those of columns 0 to 3, then those of 4 to 7. Before it stand its middle and its scale.
 */
export function multiply(
  rows: usize,
  notes: usize,
  count: i32,
  depth: i32,
  matrix: usize,
  bias: usize,
  columns: i32,
  out: usize,
): void {
  const middle = load<f32>(matrix);
  const scale = load<f32>(matrix, 4);
  const stride = <usize>columns * 4;
  for (let column = 0; column < columns; column += COLUMNS) {
    const block = matrix + 16 + <usize>(column * depth);
    const first = v128.load(bias + <usize>column * 4);
    const second = v128.load(bias + <usize>column * 4, 16);
    for (let row = 0; row < count; row += ROWS) {
      const to = out + <usize>row * stride + <usize>column * 4;
      multiplyBlock(
        rows + <usize>(row * depth * 2),
        notes + <usize>row * 8,
        depth,
        block,
        middle,
        scale,
        first,
        second,
        to,
        stride,
      );
    }
  }
}

function multiplyBlock(
  rows: usize,
  notes: usize,
  depth: i32,
  block: usize,
  middle: f32,
  scale: f32,
  first: v128,
  second: v128,
  to: usize,
  stride: usize,
): void {
  const length = <usize>depth * 2;
  const row1 = rows + length;
  const row2 = row1 + length;
  const row3 = row2 + length;
  let a0 = i32x4.splat(0);
  let a1 = i32x4.splat(0);
  let a2 = i32x4.splat(0);
  let a3 = i32x4.splat(0);
  let b0 = i32x4.splat(0);
  let b1 = i32x4.splat(0);
  let b2 = i32x4.splat(0);
  let b3 = i32x4.splat(0);
  for (let at: usize = 0; at < length; at += 4) {
    const bytes = v128.load(block);
    block += 16;
    const low = i16x8.extend_low_i8x16_s(bytes);
    const high = i16x8.extend_high_i8x16_s(bytes);
    const x0 = v128.load32_splat(rows + at);
    a0 = i32x4.add(a0, i32x4.dot_i16x8_s(x0, low));
    b0 = i32x4.add(b0, i32x4.dot_i16x8_s(x0, high));
    const x1 = v128.load32_splat(row1 + at);
    a1 = i32x4.add(a1, i32x4.dot_i16x8_s(x1, low));
    b1 = i32x4.add(b1, i32x4.dot_i16x8_s(x1, high));
    const x2 = v128.load32_splat(row2 + at);
    a2 = i32x4.add(a2, i32x4.dot_i16x8_s(x2, low));
    b2 = i32x4.add(b2, i32x4.dot_i16x8_s(x2, high));
    const x3 = v128.load32_splat(row3 + at);
    a3 = i32x4.add(a3, i32x4.dot_i16x8_s(x3, low));
    b3 = i32x4.add(b3, i32x4.dot_i16x8_s(x3, high));
  }
  storeScaled(a0, b0, notes, middle, scale, first, second, to);
  storeScaled(a1, b1, notes + 8, middle, scale, first, second, to + stride);
  storeScaled(a2, b2, notes + 16, middle, scale, first, second, to + 2 * stride);
  storeScaled(a3, b3, notes + 24, middle, scale, first, second, to + 3 * stride);
}

/** From whole numbers back: the matrix's middle was left out of each product. */
function storeScaled(
  low: v128,
  high: v128,
  note: usize,
  middle: f32,
  scale: f32,
  first: v128,
  second: v128,
  to: usize,
): void {
  const row = load<f32>(note);
  const factor = f32x4.splat(row * scale);
  const rest = f32x4.splat(row * middle * load<f32>(note, 4));
  v128.store(to, f32x4.add(f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(low), factor), rest), first));
  v128.store(
    to,
    f32x4.add(f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(high), factor), rest), second),
    16,
  );
}

/** What each token takes from each other one, head by head. `turned` and `scores` are room to work in. */
export function attend(
  queries: usize,
  keys: usize,
  values: usize,
  count: i32,
  turned: usize,
  scores: usize,
  out: usize,
): void {
  const padded = (count + 15) & ~15;
  for (let head = 0; head < WIDTH; head += HEAD) {
    const shift = <usize>head * 4;
    turnKeys(keys + shift, count, padded, turned);
    for (let row = 0; row < count; row++) {
      const at = <usize>(row * WIDTH * 4) + shift;
      score(queries + at, turned, padded, scores);
      softmax(scores, count, padded);
      mix(values + shift, scores, count, out + at);
    }
  }
}

/** The keys of a head with tokens side by side, so that sixteen are scored at once. */
function turnKeys(keys: usize, count: i32, padded: i32, turned: usize): void {
  for (let column = 0; column < HEAD; column++) {
    const to = turned + <usize>(column * padded * 4);
    const from = keys + <usize>column * 4;
    for (let row = 0; row < padded; row++) {
      const value = row < count ? load<f32>(from + <usize>(row * WIDTH * 4)) : 0;
      store<f32>(to + <usize>row * 4, value);
    }
  }
}

/** One over the square root of a head's width. */
const TEMPERATURE: f32 = 0.1767766922712326;

/** Of sixteen keys at a time, in four sums that do not wait for each other. */
function score(query: usize, turned: usize, padded: i32, scores: usize): void {
  const stride = <usize>padded * 4;
  const temperature = f32x4.splat(TEMPERATURE);
  for (let at: usize = 0; at < stride; at += 64) {
    let s0 = f32x4.splat(0);
    let s1 = f32x4.splat(0);
    let s2 = f32x4.splat(0);
    let s3 = f32x4.splat(0);
    let key = turned + at;
    for (let column: usize = 0; column < <usize>HEAD * 4; column += 4) {
      const asked = v128.load32_splat(query + column);
      s0 = f32x4.relaxed_madd(asked, v128.load(key), s0);
      s1 = f32x4.relaxed_madd(asked, v128.load(key, 16), s1);
      s2 = f32x4.relaxed_madd(asked, v128.load(key, 32), s2);
      s3 = f32x4.relaxed_madd(asked, v128.load(key, 48), s3);
      key += stride;
    }
    v128.store(scores + at, f32x4.mul(s0, temperature));
    v128.store(scores + at, f32x4.mul(s1, temperature), 16);
    v128.store(scores + at, f32x4.mul(s2, temperature), 32);
    v128.store(scores + at, f32x4.mul(s3, temperature), 48);
  }
}

function softmax(scores: usize, count: i32, padded: i32): void {
  let peak = load<f32>(scores);
  for (let at = 1; at < count; at++) peak = max(peak, load<f32>(scores + <usize>at * 4));
  const end = <usize>padded * 4;
  const highest = f32x4.splat(peak);
  for (let at: usize = 0; at < end; at += 16)
    v128.store(scores + at, exponential(f32x4.sub(v128.load(scores + at), highest)));
  for (let at = count; at < padded; at++) store<f32>(scores + <usize>at * 4, 0);
  let sum = f32x4.splat(0);
  for (let at: usize = 0; at < end; at += 16) sum = f32x4.add(sum, v128.load(scores + at));
  const share = f32x4.splat(1 / lanes(sum));
  for (let at: usize = 0; at < end; at += 16)
    v128.store(scores + at, f32x4.mul(v128.load(scores + at), share));
}

function mix(values: usize, scores: usize, count: i32, out: usize): void {
  let v0 = f32x4.splat(0);
  let v1 = f32x4.splat(0);
  let v2 = f32x4.splat(0);
  let v3 = f32x4.splat(0);
  let v4 = f32x4.splat(0);
  let v5 = f32x4.splat(0);
  let v6 = f32x4.splat(0);
  let v7 = f32x4.splat(0);
  for (let row = 0; row < count; row++) {
    const share = v128.load32_splat(scores + <usize>row * 4);
    const from = values + <usize>(row * WIDTH * 4);
    v0 = f32x4.relaxed_madd(share, v128.load(from), v0);
    v1 = f32x4.relaxed_madd(share, v128.load(from, 16), v1);
    v2 = f32x4.relaxed_madd(share, v128.load(from, 32), v2);
    v3 = f32x4.relaxed_madd(share, v128.load(from, 48), v3);
    v4 = f32x4.relaxed_madd(share, v128.load(from, 64), v4);
    v5 = f32x4.relaxed_madd(share, v128.load(from, 80), v5);
    v6 = f32x4.relaxed_madd(share, v128.load(from, 96), v6);
    v7 = f32x4.relaxed_madd(share, v128.load(from, 112), v7);
  }
  v128.store(out, v0);
  v128.store(out, v1, 16);
  v128.store(out, v2, 32);
  v128.store(out, v3, 48);
  v128.store(out, v4, 64);
  v128.store(out, v5, 80);
  v128.store(out, v6, 96);
  v128.store(out, v7, 112);
}

/** Adds `more` to each row, if there is any, and brings the row to mean 0 and variance 1, then to its own. */
export function normalize(rows: usize, more: usize, count: i32, gain: usize, shift: usize): void {
  const end: usize = WIDTH * 4;
  for (let row = 0; row < count; row++) {
    const at = rows + <usize>row * end;
    let sum = f32x4.splat(0);
    for (let column: usize = 0; column < end; column += 16) {
      let value = v128.load(at + column);
      if (more) {
        value = f32x4.add(value, v128.load(more + <usize>row * end + column));
        v128.store(at + column, value);
      }
      sum = f32x4.add(sum, value);
    }
    const mean = f32x4.splat(lanes(sum) / <f32>WIDTH);
    let squares = f32x4.splat(0);
    for (let column: usize = 0; column < end; column += 16) {
      const away = f32x4.sub(v128.load(at + column), mean);
      squares = f32x4.add(squares, f32x4.mul(away, away));
    }
    const factor = f32x4.splat(1 / sqrt(lanes(squares) / <f32>WIDTH + <f32>1e-12));
    for (let column: usize = 0; column < end; column += 16) {
      const away = f32x4.mul(f32x4.sub(v128.load(at + column), mean), factor);
      const value = f32x4.add(f32x4.mul(away, v128.load(gain + column)), v128.load(shift + column));
      v128.store(at + column, value);
    }
  }
}

/** x times the share of the normal distribution below x. */
export function gelu(values: usize, count: i32): void {
  const end = <usize>count * 4;
  const half = f32x4.splat(0.5);
  for (let at: usize = 0; at < end; at += 16) {
    const x = v128.load(values + at);
    const halved = f32x4.mul(x, half);
    const share = errorFunction(f32x4.mul(x, f32x4.splat(<f32>Math.SQRT1_2)));
    v128.store(values + at, f32x4.relaxed_madd(halved, share, halved));
  }
}

/** The error function of four numbers: a quotient of two polynomials; beyond 4 it is 1 to all digits. */
function errorFunction(z: v128): v128 {
  const x = f32x4.max(f32x4.min(z, f32x4.splat(4)), f32x4.splat(-4));
  const square = f32x4.mul(x, x);
  let over = f32x4.splat(-2.72614225801306e-10);
  over = f32x4.relaxed_madd(over, square, f32x4.splat(2.77068142495902e-8));
  over = f32x4.relaxed_madd(over, square, f32x4.splat(-2.10102402082508e-6));
  over = f32x4.relaxed_madd(over, square, f32x4.splat(-5.69250639462346e-5));
  over = f32x4.relaxed_madd(over, square, f32x4.splat(-7.34990630326855e-4));
  over = f32x4.relaxed_madd(over, square, f32x4.splat(-2.95459980854025e-3));
  over = f32x4.relaxed_madd(over, square, f32x4.splat(-1.60960333262415e-2));
  let under = f32x4.splat(-1.45660718464996e-5);
  under = f32x4.relaxed_madd(under, square, f32x4.splat(-2.13374055278905e-4));
  under = f32x4.relaxed_madd(under, square, f32x4.splat(-1.68282697438203e-3));
  under = f32x4.relaxed_madd(under, square, f32x4.splat(-7.37332916720468e-3));
  under = f32x4.relaxed_madd(under, square, f32x4.splat(-1.42647390514189e-2));
  return f32x4.div(f32x4.mul(x, over), under);
}

/** Less than this adds nothing to a sum of shares, and would only be slow. */
const LEAST_EXPONENT: f32 = -30;

/** e to the power of four numbers that are not above 0: halves of 2^n by the exponent, the rest by a polynomial. */
function exponential(x: v128): v128 {
  const bounded = f32x4.max(x, f32x4.splat(LEAST_EXPONENT));
  const n = f32x4.nearest(f32x4.mul(bounded, f32x4.splat(<f32>Math.LOG2E)));
  const r = f32x4.relaxed_nmadd(
    n,
    f32x4.splat(-0.00021219444),
    f32x4.relaxed_nmadd(n, f32x4.splat(0.693359375), bounded),
  );
  let y = f32x4.splat(0.00019875691);
  y = f32x4.relaxed_madd(y, r, f32x4.splat(0.0013981999));
  y = f32x4.relaxed_madd(y, r, f32x4.splat(0.008333452));
  y = f32x4.relaxed_madd(y, r, f32x4.splat(0.04166579));
  y = f32x4.relaxed_madd(y, r, f32x4.splat(0.16666666));
  y = f32x4.relaxed_madd(y, r, f32x4.splat(0.5));
  y = f32x4.add(f32x4.relaxed_madd(f32x4.mul(y, r), r, r), f32x4.splat(1));
  const power = i32x4.shl(i32x4.add(i32x4.relaxed_trunc_f32x4_s(n), i32x4.splat(127)), 23);
  return f32x4.mul(y, power);
}

/** The mean of the rows, brought to length 1. */
export function pool(rows: usize, count: i32, out: usize): void {
  const end: usize = WIDTH * 4;
  let squares = f32x4.splat(0);
  for (let column: usize = 0; column < end; column += 16) {
    let sum = f32x4.splat(0);
    for (let row = 0; row < count; row++)
      sum = f32x4.add(sum, v128.load(rows + <usize>row * end + column));
    v128.store(out + column, sum);
    squares = f32x4.add(squares, f32x4.mul(sum, sum));
  }
  const factor = f32x4.splat(1 / sqrt(max(lanes(squares), <f32>1e-12)));
  for (let column: usize = 0; column < end; column += 16)
    v128.store(out + column, f32x4.mul(v128.load(out + column), factor));
}

function lanes(x: v128): f32 {
  return (
    f32x4.extract_lane(x, 0) +
    f32x4.extract_lane(x, 1) +
    f32x4.extract_lane(x, 2) +
    f32x4.extract_lane(x, 3)
  );
}
