/** A row's values by their columns, from 0; empty ones are left out. */
export type Cells = ReadonlyMap<number, string>;

export const cellsOf = (values: readonly string[]): Cells =>
  new Map(
    values
      .map((value, column) => [column, value.trim()] as const)
      .filter(([, value]) => value !== ""),
  );

/** A line that names each value's column, so that a passage is understood without the first row. */
export const rowLine = (columns: Cells, row: Cells): string =>
  [...row]
    .map(([column, value]) => (columns.has(column) ? `${columns.get(column)}: ${value}` : value))
    .join(" | ");
