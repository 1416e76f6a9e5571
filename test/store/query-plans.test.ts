import { join } from "node:path";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Writes } from "#engine/store.ts";
import { connect } from "#store/sqlite/database.ts";
import { eventRepository } from "#store/sqlite/events.ts";
import { idempotencyRepository } from "#store/sqlite/idempotency.ts";
import { interruptRepository } from "#store/sqlite/interrupts.ts";
import { memoryRepository } from "#store/sqlite/memory.ts";
import { migrate } from "#store/sqlite/migrate.ts";
import { sessionRepository } from "#store/sqlite/sessions.ts";
import { toolCallRepository } from "#store/sqlite/tool-calls.ts";
import { native } from "../support/native.ts";
import { temporaryFolder } from "./stores.ts";

type Watched = Pick<
  Writes,
  "events" | "idempotency" | "interrupts" | "memory" | "sessions" | "tool_calls"
>;

/** How SQLite would go about what `ask` asks, a line for each step of it. */
async function planOf(ask: (store: Watched) => Promise<unknown>): Promise<string[]> {
  const file = join(temporaryFolder(), "troupe.db");
  const connection = connect({ file, native });
  onTestFinished(() => void connection.close());
  migrate(connection);
  const asked: { sql: string; params: unknown[] }[] = [];
  const logQuery = (sql: string, params: unknown[]) => void asked.push({ sql, params });
  const db = drizzle({ client: connection, logger: { logQuery } });
  await ask({
    events: eventRepository(db),
    idempotency: idempotencyRepository(db),
    interrupts: interruptRepository(db),
    memory: memoryRepository(db),
    sessions: sessionRepository(db),
    tool_calls: toolCallRepository(db),
  });
  expect(asked).not.toEqual([]);
  return asked.flatMap(({ sql, params }) =>
    connection
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...params)
      .map((row) => (row as { detail: string }).detail),
  );
}

const PAGE = { limit: 50, offset: 0 };
const FROM = "2026-03-01T00:00:00.000Z";
const TO = "2026-03-02T00:00:00.000Z";
const OWNER = { schema_id: "s", user_sub: "ann" };

/** Neither a walk through all rows nor a sort of what was found. */
const SLOW = /SCAN (?!.*USING )|TEMP B-TREE/;

describe("a query that grows with use goes by an index", () => {
  test.each<[string, (store: Watched) => Promise<unknown>]>([
    ["a session's events", ({ events }) => events.list("s", 3)],
    ["a session's last event", ({ events }) => events.lastSeq("s")],
    ["a session's open interrupts", ({ interrupts }) => interrupts.listPending("s")],
    ["a request's key", ({ idempotency }) => idempotency.get("o", "k")],
    ["outdated keys", ({ idempotency }) => idempotency.deleteBefore(TO)],
    ["a person's memories", ({ memory }) => memory.search(OWNER, ["tea"], 10)],
    ["superfluous memories", ({ memory }) => memory.keepNewest(OWNER, 10)],
    ["outdated memories", ({ memory }) => memory.deleteBefore("a", TO)],
    ["sessions", ({ sessions }) => sessions.list({}, PAGE)],
    ["a user's sessions", ({ sessions }) => sessions.list({ user_sub: "ann" }, PAGE)],
    ["sessions by status", ({ sessions }) => sessions.list({ status: "failed" }, PAGE)],
    ["tool calls", ({ tool_calls }) => tool_calls.list({}, PAGE)],
    ["tool calls of a time", ({ tool_calls }) => tool_calls.list({ from: FROM, to: TO }, PAGE)],
  ])("%s", async (_what, ask) => {
    const plan = await planOf(ask);
    expect(plan.filter((line) => SLOW.test(line))).toEqual([]);
  });

  test.each(["session_id", "agent_name", "tool_name", "status", "user_id"])(
    "tool calls by %s, alone, within a time and with another filter",
    async (field) => {
      for (const more of [{}, { from: FROM, to: TO }, { tool_name: "look", status: "failed" }]) {
        const filter = { [field]: "x", ...more };
        const plan = await planOf(async ({ tool_calls }) => {
          await tool_calls.list(filter, PAGE);
          await tool_calls.count(filter);
        });
        expect(plan).toHaveLength(2);
        for (const line of plan) expect(line).toMatch(/^SEARCH tool_calls USING (COVERING )?INDEX/);
      }
    },
  );

  test("the end of a tool call finds it by its id within the session", async () => {
    const outcome = { output: "", status: "completed", duration_ms: 1 } as const;
    const plan = await planOf(({ tool_calls }) => tool_calls.finish("s", "c", outcome));
    expect(plan).toEqual([expect.stringContaining("USING INDEX tool_calls_call")]);
  });
});
