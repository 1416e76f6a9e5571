import { join } from "node:path";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Writes } from "#engine/store.ts";
import { connect } from "#store/sqlite/database.ts";
import {
  byFilter,
  byId,
  byMissing,
  byOrder,
  countOf,
  type Statement,
} from "#store/sqlite/graph-query.ts";
import { migrate } from "#store/sqlite/migrate.ts";
import { repositories } from "#store/sqlite/store.ts";
import { native } from "../support/native.ts";
import { temporaryFolder } from "./stores.ts";

/** How SQLite would go about what `ask` asks, a line for each step of it. */
async function planOf(ask: (store: Writes) => Promise<unknown>): Promise<string[]> {
  const file = join(temporaryFolder(), "troupe.db");
  const connection = connect({ file, native });
  onTestFinished(() => void connection.close());
  migrate(connection);
  const asked: { sql: string; params: unknown[] }[] = [];
  const logQuery = (sql: string, params: unknown[]) => void asked.push({ sql, params });
  const db = drizzle({ client: connection, logger: { logQuery } });
  await ask(repositories(db));
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
  test.each<[string, (store: Writes) => Promise<unknown>]>([
    ["a session's events", ({ events }) => events.list("s", 3)],
    ["a session's last event", ({ events }) => events.lastSeq("s")],
    ["a session's open interrupts", ({ interrupts }) => interrupts.listPending("s")],
    ["a request's key", ({ idempotency }) => idempotency.get("o", "k")],
    ["outdated keys", ({ idempotency }) => idempotency.deleteBefore(TO)],
    ["a schema's memories", ({ memory }) => memory.listBySchema("s")],
    ["a person's memories", ({ memory }) => memory.search(OWNER, ["tea"], 10)],
    ["superfluous memories", ({ memory }) => memory.keepNewest(OWNER, 10)],
    ["outdated memories", ({ memory }) => memory.deleteBefore("a", TO)],
    ["sessions", ({ sessions }) => sessions.list({}, PAGE)],
    ["a user's sessions", ({ sessions }) => sessions.list({ user_sub: "ann" }, PAGE)],
    ["sessions by status", ({ sessions }) => sessions.list({ status: "failed" }, PAGE)],
    ["sessions until a time", ({ sessions }) => sessions.list({ to: TO }, PAGE)],
    ["whether a schema has sessions", ({ sessions }) => sessions.countBySchema("s")],
    ["how many sessions there are", ({ sessions }) => sessions.count({})],
    ["a token by its hash", ({ tokens }) => tokens.getByHash("h")],
    ["a token by its name", ({ tokens }) => tokens.getByName("t")],
    ["a token's last use", ({ tokens }) => tokens.touch("t", TO)],
    ["an agent by its name", ({ agents }) => agents.getByName("a")],
    ["a model by its name", ({ models }) => models.getByName("m")],
    ["the default model", ({ models }) => models.getDefault()],
    ["a schema by its name", ({ schemas }) => schemas.getByName("s")],
    ["a person's use", ({ usage }) => usage.getCounter("user:ann")],
    ["a session's jobs", ({ jobs }) => jobs.countByKey("session:s")],
    ["audit entries", ({ audit }) => audit.list({}, PAGE)],
    ["audit entries of a time", ({ audit }) => audit.list({ from: FROM, to: TO }, PAGE)],
    ["an actor's audit entries", ({ audit }) => audit.list({ actor_type: "admin" }, PAGE)],
    ["audit entries of an action", ({ audit }) => audit.list({ action: "agent.update" }, PAGE)],
    ["tasks", ({ tasks }) => tasks.list({}, PAGE)],
    ["tasks by status", ({ tasks }) => tasks.list({ status: "draft" }, PAGE)],
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

  test.each([
    { user_sub: "ann" },
    { status: "failed" },
    { from: FROM },
    { to: TO },
    { user_sub: "ann", status: "failed" },
    { user_sub: "ann", from: FROM, to: TO },
    { user_sub: "ann", status: "failed", from: FROM, to: TO },
  ])("sessions by %j, a page in order and their number", async (filter) => {
    const page = await planOf(({ sessions }) => sessions.list(filter, PAGE));
    expect(page).toEqual([
      expect.stringMatching(/^(SEARCH|SCAN) sessions USING INDEX \S+_updated/),
    ]);
    const number = await planOf(({ sessions }) => sessions.count(filter));
    expect(number).toEqual([expect.stringMatching(/^SEARCH sessions USING (COVERING )?INDEX/)]);
  });

  test("sessions between two times are found by their times, and then sorted", async () => {
    const filter = { from: FROM, to: TO };
    const page = await planOf(({ sessions }) => sessions.list(filter, PAGE));
    expect(page[0]).toMatch(/^SEARCH sessions USING INDEX sessions_created/);
    const number = await planOf(({ sessions }) => sessions.count(filter));
    expect(number).toEqual([expect.stringMatching(/USING COVERING INDEX sessions_created/)]);
  });

  test("the end of a tool call finds it by its id within the session", async () => {
    const outcome = { output: "", status: "completed", duration_ms: 1 } as const;
    const plan = await planOf(({ tool_calls }) => tool_calls.finish("s", "c", outcome));
    expect(plan).toEqual([expect.stringContaining("USING INDEX tool_calls_call")]);
  });
});

describe("a page of a knowledge graph's entities goes by indexes of what they are asked by", () => {
  const filter = { field: 0, in: ["FI"] };
  const others = [{ field: 1, bounds: [{ operator: ">=" as const, key: 4 }] }];
  const sort = [{ field: 2, descending: true }];
  const conditions = [filter, ...others];
  const query = { conditions, sort, limit: 50, offset: 0 };
  const SORTED = "USE TEMP B-TREE FOR ORDER BY";

  /** Ids are taken from look-ups by key or by value; a table that leads is narrowed, or walked in order. */
  test.each<[string, Statement, RegExp[]]>([
    [
      "counted",
      countOf(1, [filter]),
      [
        /^SEARCH v0 USING COVERING INDEX graph_values_order \(type_id=\? AND field=\? AND value=\?\)/,
      ],
    ],
    [
      "counted by several",
      countOf(1, conditions),
      [/^SEARCH v0 .*order \(.*value=\?\)/, /^SEARCH v1 .*entity_id=\?\)/],
    ],
    [
      "in the order of ids",
      byId(1, { ...query, conditions: [] }),
      [/^SEARCH graph_entities USING COVERING INDEX/],
    ],
    [
      "in the order of ids, filtered",
      byId(1, { ...query, sort: [] }),
      [/^SEARCH v0 USING PRIMARY KEY/, /^SEARCH v1 .*entity_id=\?\)/],
    ],
    [
      "found by a filter",
      byFilter(1, { ...query, sort: [] }),
      [/^SEARCH v0 .*value=\?\)/, /^SEARCH v1 .*entity_id=\?\)/],
    ],
    [
      "in a sort's order",
      byOrder(1, { ...query, conditions: [] }, { field: 2, descending: true }),
      [/^SEARCH v0 USING COVERING INDEX graph_values_order/],
    ],
    [
      "in a sort's order, filtered",
      byOrder(1, query, { field: 2, descending: true }),
      [
        /^SEARCH v0 .*graph_values_order/,
        /^SEARCH v1 .*entity_id=\?\)/,
        /^SEARCH v2 .*entity_id=\?\)/,
      ],
    ],
    [
      "without a value to be sorted by",
      byMissing(1, query, { field: 2, descending: true }),
      [/^SEARCH v0 .*value=\?\)/, /^SEARCH v1 .*entity_id=\?\)/, /^SEARCH v2 .*entity_id=\?\)/],
    ],
  ])("%s", (_what, statement, steps) => {
    const plan = planOfStatement(statement);
    expect(plan).toEqual(steps.map((step) => expect.stringMatching(step)));
  });

  test("found by a filter and sorted by another, it is only sorted what fits", () => {
    const [first, ...rest] = planOfStatement(byFilter(1, { ...query, conditions: [filter] }));
    expect(first).toMatch(/^SEARCH v0 .*value=\?\)/);
    expect(rest).toEqual([expect.stringMatching(/^SEARCH v1 .*entity_id=\?\)/), SORTED]);
  });

  function planOfStatement({ sql, params }: Statement): string[] {
    const connection = connect({ file: join(temporaryFolder(), "troupe.db"), native });
    onTestFinished(() => void connection.close());
    migrate(connection);
    repositories(drizzle({ client: connection }));
    const rows = connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...params);
    return rows.map((row) => (row as { detail: string }).detail);
  }
});

/** What an administrator configures: a few rows each, so that reading all of them costs nothing. */
const SMALL: readonly [string, (store: Writes) => Promise<unknown>][] = [
  ["agents", ({ agents }) => agents.list()],
  ["agents", ({ agents }) => agents.count()],
  ["agents", ({ agents }) => agents.listNamesByModel(1)],
  ["agents", ({ agents }) => agents.bindModel(1)],
  ["models", ({ models }) => models.list()],
  ["models", ({ models }) => models.list("chat")],
  ["schemas", ({ schemas }) => schemas.list()],
  ["tokens", ({ tokens }) => tokens.list()],
  ["settings", ({ settings }) => settings.list()],
  ["usage_limits", ({ usage }) => usage.listLimits()],
  ["capabilities", ({ capabilities }) => capabilities.listByType("memory")],
];

test.each(SMALL)("only the small table %s is read as a whole", async (table, ask) => {
  const plan = await planOf(ask);
  const steps = plan.filter((line) => !line.startsWith("USE TEMP B-TREE"));
  expect(steps).toEqual([expect.stringMatching(new RegExp(`^SCAN ${table}( USING .*)?$`))]);
});
