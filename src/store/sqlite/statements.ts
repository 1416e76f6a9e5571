import {
  eq,
  getTableColumns,
  type InferInsertModel,
  type InferSelectModel,
  inArray,
  type SQL,
  sql,
} from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { giveWay } from "#engine/kernel/give-way.ts";
import type { Db } from "./database.ts";
import { maybe, present } from "./rows.ts";

/** Makes it when it is first asked for: what nobody needs costs no start of the program anything. */
export function once<Made>(make: () => Made): () => Made {
  let made: { readonly it: Made } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

/** Whole rows by the value of one column; built once, as building costs more than running. */
export function rowsBy<Table extends SQLiteTable>(
  db: Db,
  table: Table,
  column: SQLiteColumn,
  ...order: readonly SQL[]
) {
  type Row = InferSelectModel<Table>;
  const statement = once(() =>
    db
      .select()
      .from(table as SQLiteTable)
      .where(eq(column, sql.placeholder("value")))
      .orderBy(...order)
      .prepare(),
  );
  return {
    get: (value: string | number) => maybe(statement().get({ value }) as Row | undefined),
    all: (value: string | number) => (statement().all({ value }) as Row[]).map(present),
  };
}

const ROWS_AT_ONCE = 200;

/** Deletes all that fits, in steps that hold nobody up; returns how many rows there were. */
export async function deleteInSteps(
  db: Db,
  table: SQLiteTable,
  fits: SQL | undefined,
): Promise<number> {
  const rowid = sql`rowid`;
  const some = db.select({ rowid }).from(table).where(fits).limit(ROWS_AT_ONCE);
  const statement = db.delete(table).where(inArray(rowid, some)).prepare();
  return untilFewer(ROWS_AT_ONCE, () => statement.run().changes);
}

/** Repeats a step until it changes fewer rows than it might, and gives way in between. */
export async function untilFewer(rows: number, step: () => number): Promise<number> {
  let changed = 0;
  for (;;) {
    const done = step();
    changed += done;
    if (done < rows) return changed;
    await giveWay();
  }
}

type Keyed = SQLiteTable & { id: SQLiteColumn };

const placeholders = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]));

/** Inserts a whole row; built once. Absent fields are null. */
export function rowInsert<Table extends SQLiteTable>(db: Db, table: Table) {
  const names = Object.keys(getTableColumns(table));
  const nulls = Object.fromEntries(names.map((name) => [name, null]));
  const statement = once(() =>
    db
      .insert(table)
      .values(placeholders(names) as InferInsertModel<Table>)
      .prepare(),
  );
  return (row: InferInsertModel<Table>) => statement().run({ ...nulls, ...defined(row) });
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
