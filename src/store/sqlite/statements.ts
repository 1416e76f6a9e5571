import {
  eq,
  getTableColumns,
  type InferInsertModel,
  type InferSelectModel,
  sql,
} from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db } from "./database.ts";

type Keyed = SQLiteTable & { id: SQLiteColumn };

const placeholders = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]));

/** Inserts a whole row; built once, as building costs more than running. Absent fields are null. */
export function rowInsert<Table extends SQLiteTable>(db: Db, table: Table) {
  const names = Object.keys(getTableColumns(table));
  const nulls = Object.fromEntries(names.map((name) => [name, null]));
  const statement = db
    .insert(table)
    .values(placeholders(names) as InferInsertModel<Table>)
    .prepare();
  return (row: InferInsertModel<Table>) => statement.run({ ...nulls, ...defined(row) });
}

/** Sets fields of the row with an id; built once for each set of fields. An undefined one is cleared. */
export function rowUpdate<Table extends Keyed>(db: Db, table: Table) {
  const statements = new Map<string, { run(values: Record<string, unknown>): unknown }>();
  const build = (names: readonly string[]) =>
    db
      .update(table)
      .set(placeholders(names) as never)
      .where(eq(table.id, sql.placeholder("key")))
      .prepare();
  return (key: string | number, fields: Partial<InferSelectModel<Table>>): void => {
    const names = Object.keys(fields);
    if (names.length === 0) return;
    const shape = names.join();
    const statement = statements.get(shape) ?? build(names);
    statements.set(shape, statement);
    statement.run({
      ...Object.fromEntries(names.map((name) => [name, null])),
      ...defined(fields),
      key,
    });
  };
}

const defined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
