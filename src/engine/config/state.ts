import type { SecretBox } from "../kernel/secrets.ts";
import type { Reads } from "../store.ts";
import type { Item, State } from "./section.ts";
import { SECTIONS } from "./sections.ts";

/** Everything that a document can describe, as it is. Takes either face of the store. */
export async function readState(read: Reads, secrets: SecretBox): Promise<State> {
  const sections = await Promise.all(
    SECTIONS.map(async ({ key, list }) => [key, byName(await list(read, secrets))] as const),
  );
  return Object.fromEntries(sections) as unknown as State;
}

const byName = (items: readonly Item[]): Map<string, Item> =>
  new Map(items.map((item) => [item.name, item]));
