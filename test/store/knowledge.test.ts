import { describe, expect, test } from "vitest";
import type { ChunkRecord } from "#engine/knowledge/chunk.ts";
import type { Store } from "#engine/store.ts";
import { STORES } from "./stores.ts";

const AT = "2026-03-01T12:00:00.000Z";
const PLACE = { knowledge_base_ids: ["b"], limit: 10 };

const chunk = (seq: number, text: string, more: Partial<ChunkRecord> = {}): ChunkRecord => ({
  file_id: "f",
  seq,
  start: 0,
  end: text.length,
  headings: [],
  index: "words",
  text,
  indexed_text: text,
  ...more,
});

async function withFile(store: Store, status: "ready" | "indexing" = "ready"): Promise<Store> {
  const file = { id: "f", knowledge_base_id: "b", file_name: "f.txt", file_type: "txt" };
  const counts = { file_size: 1, chunk_count: 0, chunks_done: 0 };
  await store.write(async (tx) => {
    await tx.knowledge_bases.insert({ id: "b", name: "b", created_at: AT, updated_at: AT });
    await tx.knowledge_files.insert({ ...file, ...counts, status, created_at: AT });
  });
  return store;
}

describe.each(STORES)("knowledge in $name", ({ open }) => {
  test("chunks that are there already stay as they are, in the index too", async () => {
    const store = await withFile(open());
    for (let time = 0; time < 2; time += 1)
      await store.write((tx) => tx.knowledge_chunks.insert([chunk(0, "green tea")]));
    expect(await store.read.knowledge_chunks.count("f")).toBe(1);
    const search = { ...PLACE, index: "words", terms: ["tea"] } as const;
    const found = await store.read.knowledge_chunks.matchWords(search);
    expect(found).toHaveLength(1);
    const [named] = await store.read.knowledge_chunks.listNamed(found.map(({ id }) => id));
    expect(named).toMatchObject({ text: "green tea", file_name: "f.txt", knowledge_base: "b" });
    expect(named).not.toHaveProperty("page");
  });

  test("nothing is found of a file that is not ready", async () => {
    const store = await withFile(open(), "indexing");
    await store.write((tx) => tx.knowledge_chunks.insert([chunk(0, "tea")]));
    const search = { ...PLACE, index: "words", terms: ["tea"] } as const;
    expect(await store.read.knowledge_chunks.matchWords(search)).toEqual([]);
  });

  test("vectors are compared with those of their own model only, nearest first", async () => {
    const store = await withFile(open());
    const vectorsOf = (...numbers: number[][]) =>
      numbers.map((vector, index) => ({ chunk_id: index + 1, vector: Float32Array.from(vector) }));
    await store.write(async (tx) => {
      await tx.knowledge_chunks.insert([chunk(0, "a"), chunk(1, "b"), chunk(2, "c")]);
      await tx.knowledge_chunks.insertVectors("f", "m", vectorsOf([1, 0], [0.6, 0.8]));
      await tx.knowledge_chunks.insertVectors("f", "other", [
        { chunk_id: 3, vector: Float32Array.from([1, 0, 0]) },
      ]);
    });
    const { knowledge_chunks } = store.read;
    const vector = Float32Array.from([1, 0]);
    const found = await knowledge_chunks.matchMeaning({ ...PLACE, space: "m", vector });
    expect(found.map(({ id }) => id)).toEqual([1, 2]);
    expect(found[1]?.score).toBeCloseTo(0.6);
    const compared = await knowledge_chunks.compareMeaning({ ids: [2, 3], space: "m", vector });
    expect(compared).toEqual([{ id: 2, score: found[1]?.score }]);
    const pending = await knowledge_chunks.listWithoutVector("f", "m", 10);
    expect(pending.map(({ seq }) => seq)).toEqual([2]);
  });

  test("vectors stand beside those of another space, until that space is retired", async () => {
    const store = await withFile(open());
    const vectorOf = (...numbers: number[]) => [
      { chunk_id: 1, vector: Float32Array.from(numbers) },
    ];
    await store.write(async (tx) => {
      await tx.knowledge_chunks.insert([chunk(0, "a")]);
      await tx.knowledge_chunks.insertVectors("f", "old", vectorOf(1, 0));
      await tx.knowledge_chunks.insertVectors("f", "new", vectorOf(0, 1, 0));
    });
    const { knowledge_chunks } = store.read;
    const found = async (space: string, ...numbers: number[]) =>
      (await knowledge_chunks.matchMeaning({ ...PLACE, space, vector: Float32Array.from(numbers) }))
        .length;
    expect([await found("old", 1, 0), await found("new", 0, 1, 0)]).toEqual([1, 1]);
    await store.write((tx) => tx.knowledge_chunks.retireSpaces("b", "new"));
    expect([await found("old", 1, 0), await found("new", 0, 1, 0)]).toEqual([0, 1]);
    const sweep = () => store.write((tx) => tx.knowledge_chunks.sweepVectors());
    expect([await sweep(), await sweep()]).toEqual([true, false]);
    expect(await knowledge_chunks.listWithoutVector("f", "old", 9)).toHaveLength(1);
    expect(await knowledge_chunks.listWithoutVector("f", "new", 9)).toHaveLength(0);
  });

  test("words are found in one base, however much of another one matches better", async () => {
    const store = await withFile(open());
    await store.write(async (tx) => {
      await tx.knowledge_bases.insert({ id: "c", name: "c", created_at: AT, updated_at: AT });
      const file = { id: "g", knowledge_base_id: "c", file_name: "g.txt", file_type: "txt" };
      const counts = { file_size: 1, chunk_count: 0, chunks_done: 0 };
      await tx.knowledge_files.insert({ ...file, ...counts, status: "ready", created_at: AT });
      await tx.knowledge_chunks.insert(
        Array.from({ length: 50 }, (_, seq) => chunk(seq, "tea tea tea", { file_id: "g" })),
      );
      await tx.knowledge_chunks.insert([chunk(0, "a long text with one tea in it")]);
    });
    const search = { ...PLACE, index: "words", terms: ["tea"] } as const;
    expect(await store.read.knowledge_chunks.matchWords(search)).toHaveLength(1);
  });

  test("what is left of a deleted file is swept up in steps", async () => {
    const store = await withFile(open());
    await store.write(async (tx) => {
      await tx.knowledge_chunks.insert([0, 1, 2].map((seq) => chunk(seq, `tea ${seq}`)));
      await tx.knowledge_bases.delete("b");
    });
    const sweep = () => store.write((tx) => tx.knowledge_chunks.sweep(2));
    expect(await sweep()).toBe(true);
    expect(await store.read.knowledge_chunks.count("f")).toBe(1);
    expect(await sweep()).toBe(true);
    expect(await store.read.knowledge_chunks.count("f")).toBe(0);
    expect(await sweep()).toBe(false);
  });

  test("an upload is read back as it came in", async () => {
    const store = await withFile(open(), "indexing");
    await store.write(async (tx) => {
      await tx.knowledge_files.appendUpload("f", Uint8Array.from([1, 2]));
      await tx.knowledge_files.appendUpload("f", Uint8Array.from([3]));
    });
    const readBack = async () =>
      (await Array.fromAsync(store.read.knowledge_files.readUpload("f"))).map((part) => [...part]);
    expect(await readBack()).toEqual([[1, 2], [3]]);
    await store.write((tx) => tx.knowledge_files.deleteUpload("f"));
    expect(await readBack()).toEqual([]);
  });
});
