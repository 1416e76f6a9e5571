/** JSON text that is the same for equal values, whatever the order of their keys. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => (isObject(each) ? sorted(each) : each));

/** An object that is no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const sorted = (object: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(object).sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)),
  );
