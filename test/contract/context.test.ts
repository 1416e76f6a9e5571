import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "#engine/tools/tool.ts";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import { eventNames } from "../support/sse.ts";
import { addColleague, ask } from "../support/turns.ts";

/** 1000 tokens are about 2250 characters of a conversation. */
const small = { max_context_size: 1_000 };
const LONG = "word ".repeat(160).trim();

const read = defineTool({
  name: "read",
  description: "Reads a long page.",
  security_zone: "safe",
  retry: "safe",
  input: z.object({ n: z.number().optional() }),
  execute: async () => ({ content: "page ".repeat(400) }),
});

const promptOf = ({ model }: ChatApp, call: number) => JSON.stringify(model.calls[call]?.prompt);

async function notesIn({ admin }: ChatApp, session_id: string): Promise<string[]> {
  const { body } = await admin.get(`/sessions/${session_id}/messages`);
  return body.flatMap((event: { event_type: string; payload: { content: string } }) =>
    event.event_type === "system" ? [event.payload.content] : [],
  );
}

describe("a conversation that outgrows its agent's context", () => {
  async function grown(turns = 6) {
    const app = await startChatApp([], small);
    let session_id: string | undefined;
    for (let n = 1; n <= turns; n += 1) {
      app.model.script({ text: `${n}: ${LONG}` });
      ({ session_id } = await ask(app.admin, { message: `question ${n}`, session_id }));
    }
    return { app, session_id: session_id ?? "" };
  }

  test("is trimmed from the front and goes on", async () => {
    const { app } = await grown();
    const last = promptOf(app, 5);
    expect(last).toContain("question 6");
    expect(last).toContain(`5: ${LONG}`);
    expect(last).not.toContain(`1: ${LONG}`);
    expect(app.model.calls[5]?.prompt[0]).toEqual({ role: "system", content: "Help." });
    for (const { prompt } of app.model.calls) {
      expect(JSON.stringify(prompt).length).toBeLessThan(2_600);
    }
  });

  test("keeps what the person asked, in short", async () => {
    const { app } = await grown();
    expect(promptOf(app, 5)).toContain("left out to fit your context");
    expect(promptOf(app, 5)).toContain("- question 1");
  });

  test("says so in its messages, which stay whole, but not in the stream", async () => {
    const { app, session_id } = await grown();
    const notes = await notesIn(app, session_id);
    expect(notes[0]).toMatch(/^To fit the context of 1000 tokens, \d+ earlier messages were left/);
    const { text } = await app.admin.get(`/sessions/${session_id}/messages`);
    for (const n of [1, 2, 3, 4, 5, 6]) expect(text).toContain(`${n}: ${LONG}`);
    app.model.script({ text: "Short." });
    const { frames } = await ask(app.admin, { message: "and now?", session_id });
    expect(eventNames(frames)).toEqual(["message_delta", "message", "done"]);
  });

  test("is trimmed once, and stays so in later turns", async () => {
    const { app, session_id } = await grown();
    const trims = (await notesIn(app, session_id)).length;
    app.model.script({ text: "Short." }, { text: "Short." });
    await ask(app.admin, { message: "again", session_id });
    expect(promptOf(app, 6)).not.toContain(`1: ${LONG}`);
    expect(promptOf(app, 6)).toContain("- question 1");
    await ask(app.admin, { message: "again", session_id });
    // What was left out once is not left out anew each time.
    expect((await notesIn(app, session_id)).length).toBeLessThanOrEqual(trims + 1);
  });

  test("of an agent without a limit is told as a whole", async () => {
    const app = await startChatApp([], {});
    await app.admin.patch("/agents/helper", { max_context_size: 0 });
    let session_id: string | undefined;
    for (let n = 1; n <= 8; n += 1) {
      app.model.script({ text: `${n}: ${LONG.repeat(10)}` });
      ({ session_id } = await ask(app.admin, { message: "go on", session_id }));
    }
    expect(promptOf(app, 7)).toContain(`1: ${LONG}`);
    expect(await notesIn(app, session_id ?? "")).toEqual([]);
  });
});

describe("a turn that outgrows its agent's context", () => {
  const page = (n: number) => ({ calls: [{ id: `r${n}`, tool: "read", input: { n } }] });

  test("has its oldest results shortened, every call keeping one", async () => {
    const app = await startChatApp(
      [page(1), page(2), page(3), { text: "Read." }],
      { ...small, tools: ["read"] },
      { tools: [read] },
    );
    const { session_id, one, frames } = await ask(app.admin, { message: "read" });
    expect(one("message").content).toBe("Read.");
    expect(promptOf(app, 3)).toContain("characters cut]");
    const roles = app.model.calls[3]?.prompt.map(({ role }) => role);
    expect(roles?.filter((role) => role === "tool")).toHaveLength(3);
    expect((await notesIn(app, session_id))[0]).toContain("tool results were shortened");
    const results = frames.filter(({ event }) => event === "tool_result");
    for (const { data } of results) expect(data.content).not.toContain("characters cut]");
  });

  test("is trimmed within a sub-agent, too, by that agent's own measure", async () => {
    const spawn = { id: "s1", tool: "spawn_reader", input: { description: "read" } };
    const app = await startChatApp(
      [{ calls: [spawn] }, page(1), page(2), page(3), { text: "Read." }, { text: "Done." }],
      {},
      { tools: [read] },
    );
    await addColleague(app, "reader", { ...small, tools: ["read"] });
    const { one } = await ask(app.admin, { message: "go" });
    expect(promptOf(app, 4)).toContain("characters cut]");
    expect(one("tool_result").content).toContain("Read.");
  });
});
