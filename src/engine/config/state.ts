import type { SecretBox } from "../kernel/secrets.ts";
import type { Reads } from "../store.ts";
import type { ConfigDocument } from "./document.ts";
import type { Item, State } from "./section.ts";
import { SECTIONS } from "./sections.ts";

interface Extent {
  /** For a plan, and of what is large only what the document is about; absent for an export. */
  readonly about?: Pick<ConfigDocument, "sections" | "named">;
}

/**
 * Everything that a document can describe, as it is. Takes either face of the store. Sections read all they
 * need before they give way for the first time, so that no change comes in between.
 */
export async function readState(
  read: Reads,
  secrets: SecretBox,
  { about }: Extent = {},
): Promise<State> {
  const sections = await Promise.all(
    SECTIONS.map(async ({ key, is_separate, list }) => {
      const is_needed = !is_separate || !about || about.sections.has(key);
      const isNamed = about && ((name: string) => about.named.has(`${key}/${name}`));
      const items = is_needed ? await list(read, secrets, { isNamed }) : [];
      return [key, byName(items)] as const;
    }),
  );
  return Object.fromEntries(sections) as unknown as State;
}

const byName = (items: readonly Item[]): Map<string, Item> =>
  new Map(items.map((item) => [item.name, item]));
