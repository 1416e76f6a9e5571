import { z } from "zod";
import { LIMITS } from "../kernel/limits.ts";
import { defineOperation } from "../operation.ts";
import { BaseKey, requireBase } from "./base.ts";
import { Citation, toSource } from "./citation.ts";
import { searchKnowledge } from "./search.ts";

const { default: FEW, max: MOST } = LIMITS.knowledge_passages;

/** A passage that was found, best first; scores of two searches can't be compared. */
export const Passage = Citation.omit({ number: true, excerpt: true }).extend({
  score: z.number(),
  text: z.string(),
});
export type Passage = z.infer<typeof Passage>;

export const searchBase = defineOperation({
  name: "knowledge_bases.search",
  summary: "Find the passages of a knowledge base that answer a question best",
  scope: "agents:read",
  effect: "read",
  input: BaseKey.extend({
    q: z.string().trim().min(1, "must not be empty"),
    /** How many passages at most. */
    top_k: z.coerce.number<string | number>().int().min(1).max(MOST).optional(),
    /** A part of a file's name. */
    file: z.string().optional(),
  }),
  output: z.array(Passage),
  async run({ read, services }, { name, q: query, top_k: limit = FEW, file }) {
    const base = await requireBase(read, name);
    const ctx = { read, services, signal: AbortSignal.any([]) };
    const found = await searchKnowledge(ctx, [base], { query, limit, file: file || undefined });
    return found.map((passage) => ({
      ...toSource(passage),
      score: passage.score,
      text: passage.text,
    }));
  },
});
