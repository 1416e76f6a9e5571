import { sanitizeLine } from "../chat/sanitize.ts";
import { table } from "../table.ts";
import type { ListedSession } from "./find-session.ts";

export const sessionTable = (
  sessions: readonly ListedSession[],
  schemas: ReadonlyMap<string, string>,
): string =>
  table(
    ["ID", "SCHEMA", "STATUS", "UPDATED", "TITLE"],
    sessions.map(({ id, schema_id = "", status, updated_at, title = "" }) => [
      id,
      schemas.get(schema_id) ?? schema_id,
      status,
      updated_at,
      sanitizeLine(title),
    ]),
  );
