/** One property's condition: one of several keys, or between bounds. `field` is the property's place among the indexed ones. */
export type Condition =
  | { readonly field: number; readonly in: readonly (string | number)[] }
  | { readonly field: number; readonly bounds: readonly Bound[] };

export interface Bound {
  readonly operator: ">" | ">=" | "<" | "<=";
  readonly key: string | number;
}

export interface SortKey {
  readonly field: number;
  readonly descending: boolean;
}

/** Which entities of a type, in which order: what the store is asked. Missing values come last. */
export interface EntityQuery {
  readonly conditions: readonly Condition[];
  /** Then by id. */
  readonly sort: readonly SortKey[];
  readonly limit: number;
  readonly offset: number;
}
