import type { Item } from "./section.ts";

const LISTED = 10;

/** Says what there is instead, as far as a person reads such a list. */
export function unknownName(
  field: string,
  noun: string,
  name: unknown,
  items: Iterable<Pick<Item, "name">>,
): string {
  const names = [...items].map((item) => item.name);
  const close = names.find((known) => isClose(known, String(name)));
  if (close) return `${field}: there is no ${noun} "${name}"; did you mean "${close}"?`;
  return `${field}: there is no ${noun} "${name}"; there ${listed(names)}`;
}

export function listed(names: readonly string[]): string {
  if (names.length === 0) return "is none";
  const more = names.length - LISTED;
  const shown = names.slice(0, LISTED).join(", ");
  return `${names.length === 1 ? "is" : "are"} ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}

/** At most two letters written wrongly, forgotten or added. */
export function isClose(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 2 || one.length > 64) return false;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (const [column, against] of [...other].entries()) {
      const changed = (row[column] ?? 0) + (letter === against ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return (row[other.length] ?? 3) <= Math.min(2, Math.floor(one.length / 3));
}
