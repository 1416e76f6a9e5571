type Present<Row> = {
  [Key in keyof Row]: Exclude<Row[Key], null> | (null extends Row[Key] ? undefined : never);
};

/** A row without its nulls: inside the product, absent is undefined. */
export function present<Row extends object>(row: Row): Present<Row> {
  const fields = row as Record<string, unknown>;
  for (const key in fields) if (fields[key] === null) delete fields[key];
  return row as Present<Row>;
}

export const maybe = <Row extends object>(row: Row | undefined): Present<Row> | undefined =>
  row && present(row);
