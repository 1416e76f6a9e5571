import { expect, test } from "vitest";
import { z } from "zod";
import type { Context } from "./context.ts";
import { adminSession } from "./kernel/principal.ts";
import { defineOperation, invoke } from "./operation.ts";

const Item = z.object({ name: z.string() });

function answering<Output extends z.ZodType>(output: Output, answer: unknown) {
  const operation = defineOperation({
    name: "things.list",
    summary: "List things",
    scope: "public",
    effect: "read",
    input: z.object({}),
    output,
    run: async () => answer as z.input<Output>,
  });
  return invoke({ principal: adminSession("test") } as Context, operation, {});
}

const LENGTHS = [0, 3, 1_000];
const items = (length: number) =>
  Array.from({ length }, (_, at) => ({ name: `n${at}`, secret: "s" }));
const named = (length: number) => Array.from({ length }, (_, at) => ({ name: `n${at}` }));

test.each(LENGTHS)("a list of %i is stripped to what the output names", async (length) => {
  expect(await answering(z.array(Item), items(length))).toEqual(named(length));
});

test.each(LENGTHS)("so is what holds a list of %i", async (length) => {
  const output = z.object({ title: z.string(), items: z.array(Item), total: z.int() });
  const answer = { title: "t", secret: "s", items: items(length), total: length };
  const stripped = await answering(output, answer);
  expect(stripped).toEqual({ title: "t", items: named(length), total: length });
  expect(Object.keys(stripped)).toEqual(["title", "items", "total"]);
});

test("an entry that is not as it should be is noticed anywhere in a list", async () => {
  const wrong = [...items(500), { name: 7 }];
  await expect(answering(z.array(Item), wrong)).rejects.toThrow("expected string");
  await expect(answering(z.object({ items: z.array(Item) }), { items: wrong })).rejects.toThrow(
    "expected string",
  );
});
