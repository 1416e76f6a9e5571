import { expect, test } from "vitest";
import type { ConfigDocument } from "./document.ts";
import { planChanges } from "./plan.ts";
import type { State } from "./section.ts";
import { SECTIONS } from "./sections.ts";

const nothing = Object.fromEntries(SECTIONS.map(({ key }) => [key, new Map()])) as unknown as State;

test("a plan tells every reference of one entry that leads nowhere, however many there are", async () => {
  const relations = Array.from({ length: 150_000 }, () => ({ from: "a", to: "b" }));
  const placeOf = () => ({ file: undefined, line: 1, column: 1 });
  const schema = { section: "schemas", name: "s", fields: { relations }, variables: {}, placeOf };
  const document = { declared: [schema], named: new Set(), sections: new Set(), problems: [] };
  const plan = await planChanges(nothing, document as unknown as ConfigDocument, { prune: false });
  expect(plan.problems.length).toBeGreaterThanOrEqual(relations.length);
});
