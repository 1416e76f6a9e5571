import { isUuid } from "./fields.ts";

interface ByIdOrName<Item> {
  get(id: string): Promise<Item | undefined>;
  getByName(name: string): Promise<Item | undefined>;
}

/** Finds what a client refers to by its UUID or by its name; a name never looks like a UUID. */
export const findByIdOrName = <Item>(
  items: ByIdOrName<Item>,
  reference: string,
): Promise<Item | undefined> =>
  isUuid(reference) ? items.get(reference.toLowerCase()) : items.getByName(reference);
