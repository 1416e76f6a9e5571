import { describe, expect, test } from "vitest";
import type { Job } from "#engine/jobs/job.ts";
import { agentRecord, sessionRecord, taskRecord, turnJob, userMessage } from "./records.ts";
import { STORES } from "./stores.ts";

describe.each(STORES)("the $name store", ({ open }) => {
  describe("writes", () => {
    test("are undone as a whole when their function throws", async () => {
      const store = open();
      const failed = store.write(async (tx) => {
        await tx.agents.insert(agentRecord("a"));
        throw new Error("changed my mind");
      });
      await expect(failed).rejects.toThrow("changed my mind");
      expect(await store.read.agents.list()).toEqual([]);
    });

    test("run one after another, also when their functions wait", async () => {
      const store = open();
      const order: string[] = [];
      const write = (name: string) =>
        store.write(async (tx) => {
          order.push(`${name} begins`);
          await tx.agents.insert(agentRecord(name));
          await Promise.resolve();
          order.push(`${name} ends`);
        });
      await Promise.all([write("a"), write("b"), write("c")]);
      expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
    });

    test("are not seen by readers before they are whole", async () => {
      const store = open();
      await store.write(async (tx) => {
        await tx.agents.insert(agentRecord("a"));
        expect(await store.read.agents.count()).toBe(0);
        expect(await tx.agents.count()).toBe(1);
      });
      expect(await store.read.agents.count()).toBe(1);
    });

    test("go on after one that failed", async () => {
      const store = open();
      const failed = store.write(async () => {
        throw new Error("no");
      });
      const next = store.write((tx) => tx.agents.insert(agentRecord("a")));
      await expect(failed).rejects.toThrow("no");
      await next;
      expect(await store.read.agents.count()).toBe(1);
    });

    test("within a write are refused instead of waiting for themselves", async () => {
      const store = open();
      const nested = store.write(() => store.write(async () => undefined));
      await expect(nested).rejects.toThrow("a write within a write");
    });
  });

  describe("records", () => {
    test("come back as they were, absent fields absent", async () => {
      const store = open();
      const agent = agentRecord("a", { temperature: 0.5, tools: ["x", "y"] });
      await store.write((tx) => tx.agents.insert(agent));
      expect(await store.read.agents.get(agent.id)).toEqual(agent);
      expect(await store.read.agents.getByName("a")).toEqual(agent);
      expect(await store.read.agents.get("nobody")).toBeUndefined();
    });

    test("change in the supplied fields, and an undefined one is cleared", async () => {
      const store = open();
      const agent = agentRecord("a", { temperature: 0.5 });
      await store.write((tx) => tx.agents.insert(agent));
      await store.write((tx) =>
        tx.agents.update(agent.id, { temperature: undefined, system: "New." }),
      );
      const { temperature, ...rest } = agent;
      expect(await store.read.agents.get(agent.id)).toEqual({ ...rest, system: "New." });
      await store.write((tx) => tx.agents.update(agent.id, {}));
    });
  });

  describe("sessions", () => {
    test("are listed last updated first, in pages, by every filter", async () => {
      const store = open();
      const day = (n: number) => `2026-03-0${n}T00:00:00.000Z`;
      await store.write(async (tx) => {
        for (const n of [1, 2, 3, 4]) {
          const user_sub = n % 2 === 0 ? "even" : "odd";
          const status = n === 4 ? "failed" : "active";
          await tx.sessions.insert(
            sessionRecord(`s${n}`, { user_sub, status, created_at: day(n), updated_at: day(n) }),
          );
        }
      });
      const ids = async (filter: object, limit = 10, offset = 0) =>
        (await store.read.sessions.list(filter, { limit, offset })).map(({ id }) => id);
      expect(await ids({})).toEqual(["s4", "s3", "s2", "s1"]);
      expect(await ids({}, 2, 1)).toEqual(["s3", "s2"]);
      expect(await ids({ user_sub: "odd" })).toEqual(["s3", "s1"]);
      expect(await ids({ status: "failed" })).toEqual(["s4"]);
      expect(await ids({ status: "nonsense" })).toEqual([]);
      expect(await ids({ from: day(2), to: day(3) })).toEqual(["s3", "s2"]);
      expect(await store.read.sessions.count({ user_sub: "odd" })).toBe(2);
      expect(await store.read.sessions.countUsers(day(1))).toBe(2);
      expect(await store.read.sessions.countUsers(day(4))).toBe(1);
    });

    test("take their events with them when they are deleted", async () => {
      const store = open();
      await store.write(async (tx) => {
        await tx.sessions.insert(sessionRecord("s"));
        await tx.events.append([userMessage("s", 1)]);
        await tx.sessions.delete("s");
      });
      expect(await store.read.events.list("s")).toEqual([]);
    });
  });

  describe("events", () => {
    test("are read in order, from a place on", async () => {
      const store = open();
      const added = [1, 2, 3].map((seq) => userMessage("s", seq, `m${seq}`));
      await store.write(async (tx) => {
        await tx.sessions.insert(sessionRecord("s"));
        await tx.events.append(added);
      });
      expect(await store.read.events.list("s")).toEqual(added);
      expect(await store.read.events.list("s", 2)).toEqual(added.slice(2));
      expect(await store.read.events.lastSeq("s")).toBe(3);
      expect(await store.read.events.lastSeq("unknown")).toBe(0);
    });

    test("can't take a place that is taken: a stalled node is fenced", async () => {
      const store = open();
      await store.write(async (tx) => {
        await tx.sessions.insert(sessionRecord("s"));
        await tx.events.append([userMessage("s", 1)]);
      });
      const late = store.write((tx) =>
        tx.events.append([userMessage("s", 1, "late"), userMessage("s", 2)]),
      );
      await expect(late).rejects.toMatchObject({ code: "conflict" });
      expect(await store.read.events.lastSeq("s")).toBe(1);
    });
  });

  describe("jobs", () => {
    const lease = (owner: string, until_ms: number) => ({ owner, until_ms });

    const turnsOf = (jobs: readonly Job[]) => jobs.map(({ payload }) => payload.turn_id);

    test("of one key run one at a time, oldest first", async () => {
      const store = open();
      await store.write(async (tx) => {
        const first = await tx.jobs.insert(turnJob("t1", "s"));
        const second = await tx.jobs.insert(turnJob("t2", "s"));
        await tx.jobs.insert(turnJob("other", "t"));
        expect(turnsOf(await tx.jobs.listClaimable(0, 10))).toEqual(["t1", "t2", "other"]);
        const started = await tx.jobs.start(first.id, lease("me", 100), 0);
        expect(started).toMatchObject({ state: "running", attempts: 1 });
        expect(await tx.jobs.start(second.id, lease("me", 100), 0)).toBeUndefined();
        expect(turnsOf(await tx.jobs.listClaimable(50, 10))).toEqual(["other"]);
        expect((await tx.jobs.nextQueued("session:s"))?.id).toBe(second.id);
        await tx.jobs.finish(first.id);
        expect(await tx.jobs.start(second.id, lease("me", 100), 0)).toMatchObject({
          id: second.id,
        });
        expect(await tx.jobs.countByKey("session:s")).toBe(1);
      });
    });

    test("are taken over when their lease ran out, and not before", async () => {
      const store = open();
      await store.write(async (tx) => {
        const { id } = await tx.jobs.insert(turnJob("t", "s"));
        await tx.jobs.start(id, lease("first", 100), 0);
        expect(await tx.jobs.start(id, lease("second", 300), 99)).toBeUndefined();
        await tx.jobs.extend([id], lease("first", 200));
        await tx.jobs.extend([id], lease("stranger", 900));
        expect(await tx.jobs.start(id, lease("second", 300), 150)).toBeUndefined();
        const taken = await tx.jobs.start(id, lease("second", 300), 201);
        expect(taken).toMatchObject({ owner: "second", attempts: 2 });
      });
    });

    test("are free at once when their owner lets go of them", async () => {
      const store = open();
      await store.write(async (tx) => {
        const { id } = await tx.jobs.insert(turnJob("t", "s"));
        await tx.jobs.start(id, lease("first", 100), 0);
        await tx.jobs.release("first");
        expect(await tx.jobs.listClaimable(1, 10)).toHaveLength(1);
      });
    });
  });

  describe("tasks", () => {
    const at = (second: number) => `2026-03-01T12:00:0${second}.000Z`;
    const ids = (tasks: readonly { id: string }[]) => tasks.map(({ id }) => id);

    test("come back as they were, and are listed newest first, by status, in pages", async () => {
      const store = open();
      const task = taskRecord("a", { acceptance_criteria: ["x"], parent_task_id: "p", depth: 1 });
      await store.write(async (tx) => {
        await tx.tasks.insert(task);
        await tx.tasks.insert(taskRecord("b", { status: "draft" }));
        await tx.tasks.insert(taskRecord("c", { created_at: at(9) }));
      });
      expect(await store.read.tasks.get("a")).toEqual(task);
      expect(await store.read.tasks.get("z")).toBeUndefined();
      const { list, count } = store.read.tasks;
      expect(ids(await list({}, { limit: 10, offset: 0 }))).toEqual(["c", "b", "a"]);
      expect(ids(await list({}, { limit: 1, offset: 1 }))).toEqual(["b"]);
      expect(ids(await list({ status: "pending" }, { limit: 10, offset: 0 }))).toEqual(["c", "a"]);
      expect(await count({ status: "draft" })).toBe(1);
      expect(await count({ status: "nonsense" })).toBe(0);
      expect(ids(await store.read.tasks.listSubtasks("p"))).toEqual(["a"]);
    });

    test("are found by the session that made them or does them, and by their turn", async () => {
      const store = open();
      await store.write(async (tx) => {
        await tx.tasks.insert(taskRecord("a", { session_id: "s" }));
        await tx.tasks.insert(taskRecord("b", { work_session_id: "s", turn_id: "t" }));
        await tx.tasks.insert(taskRecord("c"));
      });
      expect(ids(await store.read.tasks.listBySession("s"))).toEqual(["a", "b"]);
      expect((await store.read.tasks.getByTurn("t"))?.id).toBe("b");
      expect(await store.read.tasks.getByTurn("u")).toBeUndefined();
    });

    test("may begin by priority, then age, when nothing blocks them", async () => {
      const store = open();
      await store.write(async (tx) => {
        await tx.tasks.insert(taskRecord("young", { created_at: at(2) }));
        await tx.tasks.insert(taskRecord("old", { created_at: at(1) }));
        await tx.tasks.insert(taskRecord("same", { created_at: at(1) }));
        await tx.tasks.insert(taskRecord("urgent", { priority: 2, status: "approved" }));
        await tx.tasks.insert(taskRecord("high", { priority: 1 }));
        await tx.tasks.insert(taskRecord("draft", { priority: 2, status: "draft" }));
        await tx.tasks.insert(taskRecord("begun", { priority: 2, status: "in_progress" }));
        await tx.tasks.insert(taskRecord("by hand", { priority: 2, mode: "interactive" }));
        await tx.tasks.insert(taskRecord("blocked", { priority: 2, open_blockers: 1 }));
      });
      const { listClaimable } = store.read.tasks;
      expect(ids(await listClaimable(10))).toEqual(["urgent", "high", "old", "same", "young"]);
      expect(ids(await listClaimable(2))).toEqual(["urgent", "high"]);
    });

    test("wait for their blockers, and know whom they keep waiting", async () => {
      const store = open();
      await store.write(async (tx) => {
        await tx.tasks.insert(taskRecord("x"));
        await tx.tasks.insert(taskRecord("y"));
        await tx.tasks.insert(taskRecord("both", { blocked_by: ["x", "y"], open_blockers: 2 }));
        await tx.tasks.insert(taskRecord("one", { blocked_by: ["x"], open_blockers: 1 }));
        await tx.tasks.unblock("x");
      });
      expect(ids(await store.read.tasks.listDependents("x"))).toEqual(["both", "one"]);
      expect((await store.read.tasks.get("both"))?.open_blockers).toBe(1);
      expect((await store.read.tasks.get("one"))?.open_blockers).toBe(0);
      await store.write((tx) => tx.tasks.update("both", { blocked_by: ["y"], open_blockers: 1 }));
      expect(ids(await store.read.tasks.listDependents("x"))).toEqual(["one"]);
      expect(ids(await store.read.tasks.listDependents("y"))).toEqual(["both"]);
    });

    test("are stranded when they were begun and neither a job nor a question is left", async () => {
      const store = open();
      const begun = (id: string) =>
        taskRecord(id, { status: "in_progress", work_session_id: id, turn_id: id });
      await store.write(async (tx) => {
        for (const id of ["working", "asking", "lost"]) await tx.tasks.insert(begun(id));
        await tx.tasks.insert(taskRecord("by hand", { status: "in_progress" }));
        await tx.jobs.insert(turnJob("working", "working"));
        await tx.sessions.insert(sessionRecord("asking"));
        await tx.interrupts.insert({
          id: "i",
          session_id: "asking",
          turn_id: "asking",
          call_id: "c",
          kind: "structured_output",
          status: "pending",
          created_at: at(0),
        });
      });
      expect(ids(await store.read.tasks.listStranded())).toEqual(["lost"]);
    });
  });

  describe("models", () => {
    test("have ids that grow and at most one default", async () => {
      const store = open();
      const model = (name: string, is_default: boolean) => ({
        name,
        type: "demo",
        kind: "chat" as const,
        model_name: "m",
        is_default,
        created_at: "2026-03-01T12:00:00.000Z",
      });
      const first = await store.write((tx) => tx.models.insert(model("a", true)));
      const both = store.write((tx) => tx.models.insert(model("b", true)));
      await expect(both).rejects.toThrow();
      const second = await store.write(async (tx) => {
        await tx.models.clearDefault();
        return tx.models.insert(model("b", true));
      });
      expect(second.id).toBeGreaterThan(first.id);
      expect((await store.read.models.getDefault())?.name).toBe("b");
      expect((await store.read.models.list("embedding")).length).toBe(0);
    });
  });
});
