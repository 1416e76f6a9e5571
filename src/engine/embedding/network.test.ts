import { describe, expect, test } from "vitest";
import { finish, openEmbeddedModel } from "../../../test/support/embedded-model.ts";
import { cosine, referenceVector } from "../../../test/support/reference-network.ts";
import { TOKENS_MAX } from "./network.ts";

const { network, pieces, tensors, vectorOf } = await openEmbeddedModel();
/** The reference is there to be right, not to be fast. */
const REFERENCE_MS = 60_000;

describe("the embedded model", () => {
  test.each([
    "How do I reset the router?",
    "x",
    "",
    "The warranty lasts two years from the day of purchase.",
    "Grüße aus Köln, да 知识 — “x” $5!",
  ])(
    "gives the vector that the reference gives: %j",
    (text) => {
      const ids = pieces.encode(text, TOKENS_MAX);
      expect(cosine(vectorOf(text), referenceVector(tensors, ids))).toBeGreaterThan(0.9999);
    },
    REFERENCE_MS,
  );

  test("gives vectors of length 1, and finds alike what means the same", () => {
    const vector = vectorOf("How do I get my money back?");
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    const [near, far] = [
      "Refunds are paid within thirty days.",
      "Hold the button for ten seconds.",
    ];
    expect(cosine(vector, vectorOf(near))).toBeGreaterThan(cosine(vector, vectorOf(far)) + 0.2);
  });

  test("works on a query between two layers of a passage, and mixes nothing up", () => {
    const [passage, query] = [pieces.encode("green tea ".repeat(200), TOKENS_MAX), [101, 7, 102]];
    const alone = finish(network.work(passage, "passage"));
    const work = network.work(passage, "passage");
    work.next();
    const asked = finish(network.work(query, "query"));
    expect(finish(work)).toEqual(alone);
    expect(finish(network.work(query, "passage"))).toEqual(asked);
  });

  test("gives a text the same vector whatever was there before", () => {
    const short = vectorOf("tea");
    vectorOf("a much longer text ".repeat(100));
    expect(vectorOf("tea")).toEqual(short);
  });
});
