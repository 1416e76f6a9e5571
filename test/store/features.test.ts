import { describe, expect, test } from "vitest";
import { capabilityRecord, memoryRecord, relationRecord } from "./records.ts";
import { filled, STORES } from "./stores.ts";

const day = (n: number) => `2026-03-0${n}T00:00:00.000Z`;
const idsOf = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id);

describe.each(STORES)("the $name store", ({ open }) => {
  describe("relations", () => {
    test("come back as they were, oldest first", async () => {
      const store = await filled(open());
      const second = relationRecord("a", "c", { created_at: day(2) });
      const first = relationRecord("a", "b", { created_at: day(1), config: { note: [1] } });
      const other = relationRecord("b", "c", { id: "other", schema_id: "schema-t" });
      await store.write(async (tx) => {
        for (const relation of [second, first, other]) await tx.relations.insert(relation);
      });
      const { relations } = store.read;
      expect(await relations.listBySchema("schema-s")).toEqual([first, second]);
      expect(await relations.get("a-b")).toEqual(first);
      expect(await relations.get("b-a")).toBeUndefined();
      expect(await relations.listTargetIds("schema-s", "agent-a")).toEqual(["agent-b", "agent-c"]);
      expect(await relations.listTargetIds("schema-t", "agent-a")).toEqual([]);
      expect(idsOf(await relations.listByAgent("agent-c"))).toEqual(["other", "a-c"]);
    });

    test("are unique by schema and pair, and lose what an update clears", async () => {
      const store = await filled(open());
      const relation = relationRecord("a", "b", { config: { x: 1 } });
      await store.write((tx) => tx.relations.insert(relation));
      const again = store.write((tx) => tx.relations.insert({ ...relation, id: "again" }));
      await expect(again).rejects.toThrow();
      const changes = { target_id: "agent-c", config: undefined };
      await store.write((tx) => tx.relations.update("a-b", changes));
      const { config, ...rest } = relation;
      expect(await store.read.relations.get("a-b")).toEqual({ ...rest, target_id: "agent-c" });
    });

    test("go with either end and with their schema", async () => {
      const store = await filled(open());
      await store.write(async (tx) => {
        for (const [source, target] of ["ab", "bc", "ac"]) {
          await tx.relations.insert(relationRecord(source ?? "", target ?? ""));
        }
        await tx.agents.delete("agent-b");
      });
      expect(idsOf(await store.read.relations.listBySchema("schema-s"))).toEqual(["a-c"]);
      await store.write((tx) => tx.schemas.delete("schema-s"));
      expect(await store.read.relations.get("a-c")).toBeUndefined();
    });
  });

  describe("capabilities", () => {
    test("come back as they were, one of a type for each agent", async () => {
      const store = await filled(open());
      const memory = capabilityRecord("a", "memory", { config: { max_entries: 3 } });
      const knowledge = capabilityRecord("a", "knowledge", { enabled: false, created_at: day(1) });
      const others = capabilityRecord("b", "memory");
      await store.write(async (tx) => {
        for (const one of [memory, knowledge, others]) await tx.capabilities.insert(one);
      });
      const { capabilities } = store.read;
      expect(await capabilities.listByAgent("agent-a")).toEqual([knowledge, memory]);
      expect(idsOf(await capabilities.listByType("memory")).sort()).toEqual([
        "a-memory",
        "b-memory",
      ]);
      const again = store.write((tx) => tx.capabilities.insert({ ...memory, id: "again" }));
      await expect(again).rejects.toThrow();
      await store.write(async (tx) => {
        await tx.capabilities.update(memory.id, { enabled: false });
        await tx.agents.delete("agent-b");
      });
      expect(await capabilities.get(memory.id)).toEqual({ ...memory, enabled: false });
      expect(await capabilities.get(others.id)).toBeUndefined();
    });
  });

  describe("memory", () => {
    const owner = { schema_id: "schema-s", user_sub: "ann" };

    async function remembering(...entries: readonly Parameters<typeof memoryRecord>[]) {
      const store = await filled(open());
      await store.write(async (tx) => {
        for (const entry of entries) await tx.memory.insert(memoryRecord(...entry));
      });
      return store;
    }

    test("is listed newest first, the last stored first within a moment", async () => {
      const store = await remembering(
        ["a", { metadata: { k: "v" } }],
        ["b"],
        ["c", { created_at: day(1), user_sub: "bob" }],
      );
      const { memory } = store.read;
      expect(idsOf(await memory.listBySchema("schema-s"))).toEqual(["b", "a", "c"]);
      expect(await memory.get("a")).toEqual(memoryRecord("a", { metadata: { k: "v" } }));
      expect(await memory.listBySchema("schema-t")).toEqual([]);
    });

    test.each<[string[], number, string[]]>([
      [[], 10, ["3", "2", "1"]],
      [[], 2, ["3", "2"]],
      [["TEA"], 10, ["3", "1"]],
      [["tea", "GRÜN"], 10, ["3"]],
      [["grün"], 10, ["3"]],
      [["%"], 10, ["2"]],
      [["t_a"], 10, []],
      [["'"], 10, []],
    ])("is searched for %j, at most %i", async (words, limit, found) => {
      const store = await remembering(
        ["1", { content: "Green tea", created_at: day(1) }],
        ["2", { content: "100 % coffee", created_at: day(2) }],
        ["3", { content: "GRÜNER Tea", created_at: day(3) }],
        ["4", { content: "tea", user_sub: "bob" }],
        ["5", { content: "tea", schema_id: "schema-t" }],
      );
      expect(idsOf(await store.read.memory.search(owner, words, limit))).toEqual(found);
    });

    test("keeps only an owner's newest, or all when there are fewer", async () => {
      const others = { user_sub: "bob" };
      const store = await remembering(
        ["1", { created_at: day(1) }],
        ["2", { created_at: day(2) }],
        ["3", { created_at: day(3) }],
        ["4", others],
        ["5", others],
      );
      const kept = async (count: number) => {
        await store.write((tx) => tx.memory.keepNewest(owner, count));
        return idsOf(await store.read.memory.search(owner, [], 10));
      };
      expect(await kept(5)).toEqual(["3", "2", "1"]);
      expect(await kept(2)).toEqual(["3", "2"]);
      expect(await kept(1)).toEqual(["3"]);
      expect(await store.read.memory.search({ ...owner, ...others }, [], 10)).toHaveLength(2);
    });

    test("is deleted by entry, by schema, and by an agent's age", async () => {
      const store = await remembering(
        ["1", { created_at: day(1) }],
        ["2", { created_at: day(2) }],
        ["3", { created_at: day(1), agent_id: "agent-b" }],
        ["4", { schema_id: "schema-t" }],
        ["5", { created_at: day(3) }],
      );
      await store.write(async (tx) => {
        await tx.memory.deleteBefore("agent-a", day(2));
        await tx.memory.delete("5");
      });
      const { memory } = store.read;
      expect(idsOf(await memory.listBySchema("schema-s"))).toEqual(["2", "3"]);
      await store.write((tx) => tx.memory.deleteBySchema("schema-s"));
      expect(await memory.listBySchema("schema-s")).toEqual([]);
      await store.write((tx) => tx.schemas.delete("schema-t"));
      expect(await memory.get("4")).toBeUndefined();
    });
  });
});
