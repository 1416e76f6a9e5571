import fc from "fast-check";
import { expect, test } from "vitest";
import { adminSession } from "#engine/kernel/principal.ts";
import { exportGraph, importGraph } from "#engine/knowledge-graphs/bundles/transfer-operations.ts";
import { startTestApp } from "../support/app.ts";

const admin = adminSession("test");
const text = fc.string({ unit: "grapheme", maxLength: 12 });
const id = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 12 });

const entity = fc.record(
  {
    name: fc.oneof(text, fc.constant(null)),
    size: fc.constantFrom("small", "large"),
    height: fc.double({ noNaN: true, noDefaultInfinity: true }),
    more: fc.jsonValue({ maxDepth: 2 }),
    "é.x": fc.boolean(),
  },
  { requiredKeys: [] },
);

/** What a request can hold: JSON has no negative zero. */
const asJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

const SCHEMA = {
  "x-id-field": "id",
  properties: {
    id: { type: "string" },
    name: { type: ["string", "null"], "x-index": true },
    size: { enum: ["small", "large"], "x-index": true },
    height: { type: "number", "x-index": true },
  },
};

const type = (entity_type: string) =>
  fc.record({
    schema: fc.record({
      entity_type: fc.constant(entity_type),
      schema: fc.record({ title: text }).map((more) => ({ ...SCHEMA, ...more })),
      expose_tools: fc.subarray<"list" | "get" | "list_ids">(["list", "get", "list_ids"]),
    }),
    items: fc
      .uniqueArray(fc.tuple(id, entity), { selector: ([name]) => name, maxLength: 8 })
      .map((all) => asJson(all.map(([name, fields]) => ({ ...fields, id: name })))),
  });

const bundle = fc.record({
  version: fc.string({ minLength: 1, maxLength: 8 }),
  types: fc
    .tuple(type("hen"), type("egg"))
    .chain(([hen, egg]) => fc.constantFrom([hen], [hen, egg], [egg])),
});

/** JSON says nothing of the order of a list's entities: they come in order of their ids. */
const byId = (items: readonly { id: string }[]) =>
  items.toSorted((one, other) => Buffer.compare(Buffer.from(one.id), Buffer.from(other.id)));

test("what is exported is what was imported, whatever there was before", async () => {
  const { engine } = await startTestApp();
  await fc.assert(
    fc.asyncProperty(bundle, async ({ version, types }) => {
      const schemas = types.map(({ schema }) => schema);
      const entities = types.map(({ schema: { entity_type }, items }) => ({ entity_type, items }));
      await engine.call(admin, importGraph, { bundle: "farm", version, schemas, entities });
      const exported = await engine.call(admin, exportGraph, { bundle: "farm" });
      const given = new Map(types.map((each) => [each.schema.entity_type, each]));
      expect(exported).toMatchObject({ bundle_name: "farm", version, is_complete: true });
      expect(exported.schemas).toHaveLength(types.length);
      for (const schema of exported.schemas) {
        expect(schema).toEqual(given.get(schema.entity_type)?.schema);
      }
      for (const { entity_type, items } of exported.entities) {
        expect(items).toEqual(byId(given.get(entity_type)?.items ?? []));
      }
      const again = await engine.call(admin, importGraph, { ...exported, bundle: "farm" });
      expect(again.schemas).toMatchObject({ added: [], changed: [], removed: [] });
      expect(
        again.entities.every(
          ({ unchanged }, index) => unchanged === exported.entities[index]?.items.length,
        ),
      ).toBe(true);
      expect(await engine.call(admin, exportGraph, { bundle: "farm" })).toEqual(exported);
    }),
    { numRuns: 60 },
  );
});

test("an export holds at most 500 entities of a type, and says that it is not all", async () => {
  const { engine } = await startTestApp();
  const items = Array.from({ length: 501 }, (_, index) => ({ id: `e${index}` }));
  const schemas = [{ entity_type: "egg", schema: SCHEMA }];
  const entities = [{ entity_type: "egg", items }];
  await engine.call(admin, importGraph, { bundle: "farm", schemas, entities });
  const exported = await engine.call(admin, exportGraph, { bundle: "farm" });
  expect(exported.entities[0]?.items).toHaveLength(500);
  expect(exported.is_complete).toBe(false);
});
