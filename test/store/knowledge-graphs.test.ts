import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { IndexedEntity, IndexKey } from "#engine/knowledge-graphs/entities/entity.ts";
import type { Condition, EntityQuery, SortKey } from "#engine/knowledge-graphs/entities/query.ts";
import type { Store } from "#engine/store.ts";
import { STORES } from "./stores.ts";

const NOW = "2026-03-01T12:00:00.000Z";
const schema = (entity_type: string) => ({
  bundle_name: "b",
  entity_type,
  schema_json: {},
  schema_hash: "h",
  id_field: "id",
  expose_tools: [],
  entity_count: 0,
  data_bytes: 0,
  revision: 1,
});

const indexed = (type_id: number, entity_id: string, keys: readonly IndexKey[]): IndexedEntity => ({
  entity: {
    type_id,
    entity_id,
    data: JSON.stringify({ id: entity_id }),
    schema_hash: "h",
    created_at: NOW,
    updated_at: NOW,
  },
  keys,
});

/** A type with these entities, each with its keys. */
async function filled(store: Store, entities: readonly (readonly [string, readonly IndexKey[]])[]) {
  await store.write(async (tx) => {
    await tx.graph_bundles.insert({
      bundle_name: "b",
      version: "1",
      created_at: NOW,
      updated_at: NOW,
    });
    const id = await tx.graph_schemas.insert(schema("thing"));
    await tx.graph_entities.put(entities.map(([entity_id, keys]) => indexed(id, entity_id, keys)));
    await tx.graph_schemas.update(id, { entity_count: entities.length });
  });
  const type = await store.read.graph_schemas.get("b", "thing");
  if (!type) throw new Error("the type is not there");
  return type;
}

const idsOf = (entities: readonly { entity_id: string }[]) =>
  entities.map(({ entity_id }) => entity_id);

const FIELDS = 3;
const key = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constant(0.5), fc.constant(undefined));
const text = fc.constantFrom<IndexKey>("a", "b", "é", "", undefined);
const keys = fc.tuple(key, key, text);
const field = fc.integer({ min: 0, max: FIELDS - 1 });
const bound = fc.record({
  operator: fc.constantFrom(">", ">=", "<", "<=" as const),
  key: fc.integer({ min: -2, max: 2 }),
});
const value = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom("a", "b", "é", ""));
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ field, in: fc.array(value, { maxLength: 3 }) }),
  fc.record({
    field: fc.integer({ min: 0, max: 1 }),
    bounds: fc.array(bound, { minLength: 1, maxLength: 2 }),
  }),
);
const uniqueField = { selector: (each: { field: number }) => each.field };
const query: fc.Arbitrary<EntityQuery> = fc.record({
  conditions: fc.uniqueArray(condition, { maxLength: 3, ...uniqueField }),
  sort: fc.uniqueArray(fc.record({ field, descending: fc.boolean() }), {
    maxLength: 3,
    ...uniqueField,
  }),
  limit: fc.integer({ min: 1, max: 6 }),
  offset: fc.integer({ min: 0, max: 12 }),
});

type Listed = readonly [string, readonly IndexKey[]];

const COMPARE = {
  ">": (one: number, other: number) => one > other,
  ">=": (one: number, other: number) => one >= other,
  "<": (one: number, other: number) => one < other,
  "<=": (one: number, other: number) => one <= other,
};

/** What a condition means, written down a second time. */
const meets = ([, of]: Listed, wanted: Condition): boolean => {
  const given = of[wanted.field];
  if (given === undefined) return false;
  if ("in" in wanted) return wanted.in.includes(given);
  return wanted.bounds.every((each) => COMPARE[each.operator](Number(given), Number(each.key)));
};

const order = (one: IndexKey, other: IndexKey): number =>
  typeof one === "string" && typeof other === "string"
    ? Buffer.compare(Buffer.from(one), Buffer.from(other))
    : Number(one) - Number(other);

function compare(sort: readonly SortKey[]) {
  return ([id, of]: Listed, [other_id, of_other]: Listed): number => {
    for (const { field: at, descending } of sort) {
      const [one, other] = [of[at], of_other[at]];
      if (one === undefined && other === undefined) continue;
      if (one === undefined) return 1;
      if (other === undefined) return -1;
      const difference = order(one, other);
      if (difference !== 0) return descending ? -difference : difference;
    }
    return sort[0]?.descending ? order(other_id, id) : order(id, other_id);
  };
}

describe.each(STORES)("entities in $name", ({ open }) => {
  test("are found as filters and sorts say, whatever leads the search", async () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3, unit: "grapheme-ascii" }), {
      maxLength: 12,
    });
    const listed = ids.chain((names) =>
      fc.tuple(...names.map((name) => fc.tuple(fc.constant(name), keys))),
    );
    await fc.assert(
      fc.asyncProperty(
        listed,
        fc.array(query, { minLength: 1, maxLength: 8 }),
        async (all, asked) => {
          const store = open();
          const type = await filled(store, all);
          for (const each of asked) {
            const { conditions, sort, limit, offset } = each;
            const fit = all.filter((one) => conditions.every((wanted) => meets(one, wanted)));
            const page = fit.toSorted(compare(sort)).slice(offset, offset + limit);
            const found = await store.read.graph_entities.find(type, each);
            expect([found.total, idsOf(found.entities)]).toEqual([
              fit.length,
              page.map(([id]) => id),
            ]);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  test("are found among many by the same rules as among few", async () => {
    const all = Array.from({ length: 3_000 }, (_, index): Listed => {
      const name = `e${String(index).padStart(4, "0")}`;
      return [
        name,
        [index % 7 === 0 ? undefined : index % 10, index % 2, ["a", "b", "c"][index % 3]],
      ];
    });
    const store = open();
    const type = await filled(store, all);
    const queries: Pick<EntityQuery, "conditions" | "sort">[] = [
      { conditions: [{ field: 1, in: [1] }], sort: [] },
      {
        conditions: [
          { field: 1, in: [1] },
          { field: 2, in: ["a", "b"] },
        ],
        sort: [],
      },
      { conditions: [{ field: 1, in: [1] }], sort: [{ field: 0, descending: true }] },
      {
        conditions: [
          { field: 1, in: [0] },
          { field: 2, in: ["c"] },
        ],
        sort: [{ field: 0, descending: false }],
      },
      {
        conditions: [{ field: 0, bounds: [{ operator: ">=", key: 3 }] }],
        sort: [{ field: 0, descending: true }],
      },
      {
        conditions: [],
        sort: [
          { field: 0, descending: true },
          { field: 2, descending: true },
        ],
      },
    ];
    for (const each of queries) {
      const fit = all.filter((one) => each.conditions.every((wanted) => meets(one, wanted)));
      const sorted = fit.toSorted(compare(each.sort)).map(([id]) => id);
      for (const offset of [0, 100, fit.length - 20, fit.length - 5, fit.length]) {
        const found = await store.read.graph_entities.find(type, { ...each, limit: 10, offset });
        expect(found.total).toBe(fit.length);
        expect(idsOf(found.entities)).toEqual(sorted.slice(offset, offset + 10));
      }
    }
  });

  test.each([2, 2_000])("are counted anew after a change, here of %i", async (count) => {
    const store = open();
    const all = Array.from({ length: count }, (_, index): Listed => [`e${index}`, [1]]);
    const type = await filled(store, all);
    const asked = { conditions: [{ field: 0, in: [1] }], sort: [], limit: 1, offset: 0 };
    expect((await store.read.graph_entities.find(type, asked)).total).toBe(count);
    await store.write(async (tx) => {
      await tx.graph_entities.delete(type.id, "e0");
      await tx.graph_schemas.update(type.id, { entity_count: count - 1 });
    });
    const after = await store.read.graph_schemas.get("b", "thing");
    if (!after) throw new Error("the type is not there");
    expect(await store.read.graph_entities.find(after, asked)).toMatchObject({
      total: count - 1,
      entities: [{ entity_id: "e1" }],
    });
  });

  test("are not looked for longer than somebody waits, and the next query is answered", async () => {
    const store = open();
    const all = Array.from({ length: 20 }, (_, index): Listed => [`e${index}`, [index, index]]);
    const type = await filled(store, all);
    const bounds = [{ operator: ">" as const, key: -1 }];
    const both = [0, 1].map((field) => ({ field, bounds }));
    const asked = { conditions: both, sort: [], limit: 50, offset: 0 };
    let now_ms = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => {
      now_ms += 1_000;
      return now_ms;
    });

    const told = await store.read.graph_entities.find(type, asked).catch((error) => error);

    clock.mockRestore();
    expect(told).toMatchObject({
      code: "timeout",
      message: "the query took longer than 5 s; narrow it by filters",
    });
    expect(await store.read.graph_entities.find(type, asked)).toMatchObject({ total: 20 });
  });

  test("go with their type, and leave nothing to be found", async () => {
    const store = open();
    const many = Array.from({ length: 2_500 }, (_, index): Listed => [`e${index}`, [index, "x"]]);
    const type = await filled(store, many);
    await store.write(async (tx) => {
      await tx.graph_entities.clear(type.id);
      await tx.graph_bundles.delete("b");
    });
    expect(await store.read.graph_entities.listAfter(type.id, "", 10)).toEqual([]);
    const asked = { conditions: [{ field: 1, in: ["x"] }], sort: [], limit: 9, offset: 0 };
    const later = { ...type, revision: type.revision + 1 };
    expect((await store.read.graph_entities.find(later, asked)).total).toBe(0);
    expect(await store.read.graph_schemas.listByBundle("b")).toEqual([]);
  });
});
