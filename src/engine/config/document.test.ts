import { expect, test } from "vitest";
import { readDocument } from "./document.ts";

test("a document of very many unknown keys is read in time, and each is told with its line", async () => {
  const count = 60_000;
  const text = Array.from({ length: count }, (_, at) => `key${at}: 1`).join("\n");
  const { problems } = await readDocument([{ text }], { variables: {}, is_strict: true });
  expect(problems).toHaveLength(count);
  expect(problems.at(-1)?.place).toMatchObject({ line: count, column: 1 });
});
