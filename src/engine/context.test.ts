import { describe, expect, test } from "vitest";
import { type Context, together } from "./context.ts";

/** A context that notes what happens in it, in order. */
function startNoting() {
  const notes: string[] = [];
  const ctx = {
    async write(work: (tx: object) => Promise<unknown>) {
      const result = await work({});
      notes.push("commit");
      return result;
    },
    onCommit: (effect: (after: Context) => void) => effect(ctx),
  } as unknown as Context;
  return { ctx, notes };
}

describe("operations together", () => {
  test("have what they want done afterwards done once all of them are durable", async () => {
    const { ctx, notes } = startNoting();
    const result = await together(ctx, async (inside) => {
      await inside.write(async () => notes.push("first"));
      inside.onCommit((after) => notes.push(after === ctx ? "after first" : "too soon"));
      await inside.write(async () => notes.push("second"));
      return "done";
    });
    expect(result).toBe("done");
    expect(notes).toEqual(["first", "second", "commit", "after first"]);
  });

  test("set nothing going when one of them is refused", async () => {
    const { ctx, notes } = startNoting();
    const refused = together(ctx, async (inside) => {
      inside.onCommit(() => notes.push("an effect"));
      throw new Error("refused");
    });
    await expect(refused).rejects.toThrow("refused");
    expect(notes).toEqual([]);
  });
});
