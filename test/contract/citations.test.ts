import { describe, expect, test } from "vitest";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import { index, withManuals } from "../support/files.ts";
import { addColleague, ask } from "../support/turns.ts";

const ROUTER = "# Router\n\n## Warranty\n\nThe warranty lasts two years.\n";
const KETTLE = "# Kettle\n\nBoil the water for tea.\n";

async function started(agent: object = {}): Promise<ChatApp> {
  const app = await withManuals(await startChatApp([], { ...agent }));
  await app.admin.post("/agents/helper/capabilities", { type: "knowledge" });
  await index(app.admin, { name: "router.md", content: ROUTER });
  await index(app.admin, { name: "kettle.md", content: KETTLE });
  return app;
}

const search = (id: string, query: string) => ({
  id,
  tool: "knowledge_search",
  input: { query, limit: 1 },
});

interface Cited {
  readonly number: number;
  readonly file_name: string;
  readonly start: number;
  readonly end: number;
}

async function resultsOf(
  { admin }: ChatApp,
  session_id: string,
): Promise<{ citations: Cited[] }[]> {
  const { body } = await admin.get(`/sessions/${session_id}/messages`);
  return (body as { event_type: string; payload: { citations: Cited[] } }[])
    .filter(({ event_type }) => event_type === "tool_result")
    .map(({ payload }) => payload);
}

describe("the citations of a search", () => {
  test("come with its result: in the stream, in the session and in a collected answer", async () => {
    const app = await started();
    const script = [{ calls: [search("s1", "warranty")] }, { text: "Two years [1]." }];
    app.model.script(...script);
    const { one, session_id } = await ask(app.admin, { message: "How long is the warranty?" });
    const start = ROUTER.indexOf("## Warranty");
    const [{ id: file_id }] = (await app.admin.get("/knowledge-bases/manuals/files")).body;
    const citation = {
      number: 1,
      file_name: "router.md",
      file_id,
      knowledge_base: "manuals",
      heading_path: ["Router", "Warranty"],
      start,
      end: ROUTER.length,
      excerpt: "## Warranty The warranty lasts two years.",
    };
    expect(one("tool_result")).toMatchObject({ has_error: false, citations: [citation] });
    expect(one("tool_result").content).toMatch(/^\[1\] Source: router\.md/);
    expect(await resultsOf(app, session_id)).toMatchObject([{ citations: [citation] }]);

    app.model.script(...script);
    const message = { message: "How long is the warranty?", stream: false };
    const { body } = await app.admin.post("/schemas/support/chat", message);
    expect(body.tool_calls).toMatchObject([{ tool: "knowledge_search", citations: [citation] }]);
  });

  test("are absent where a tool gives none", async () => {
    const app = await started({ tools: ["current_time"] });
    app.model.script({ calls: [{ id: "t1", tool: "current_time", input: {} }] }, { text: "Now." });
    const { one, session_id } = await ask(app.admin, { message: "go" });
    expect(one("tool_result")).not.toHaveProperty("citations");
    expect((await resultsOf(app, session_id))[0]).not.toHaveProperty("citations");
    app.model.script({ calls: [search("s1", "elephants")] }, { text: "Nothing." });
    expect((await ask(app.admin, { message: "go" })).one("tool_result")).not.toHaveProperty(
      "citations",
    );
  });

  test("count on in a session, so that a number always means the same passage", async () => {
    const app = await started({ tool_execution: "parallel" });
    app.model.script(
      { calls: [search("s1", "warranty"), search("s2", "tea")] },
      { text: "[1] and [2]." },
    );
    const { session_id } = await ask(app.admin, { message: "go" });
    app.model.script({ calls: [search("s3", "kettle")] }, { text: "[2] again." });
    await ask(app.admin, { message: "go on", session_id });
    const found = (await resultsOf(app, session_id)).flatMap(({ citations }) => citations);
    const numbers = new Map(found.map(({ file_name, number }) => [file_name, number]));
    expect([...numbers.values()].sort()).toEqual([1, 2]);
    expect(found.at(-1)).toMatchObject({
      file_name: "kettle.md",
      number: numbers.get("kettle.md"),
    });
  });

  test("behind a sub-agent's answer come with its parent's call, as far as it names them", async () => {
    const app = await started();
    await addColleague(app, "clerk");
    await app.admin.post("/agents/clerk/capabilities", { type: "knowledge" });
    await app.admin.post("/knowledge-bases/manuals/agents/clerk");
    app.model.script(
      { calls: [search("s1", "warranty")] },
      { calls: [{ id: "p1", tool: "spawn_clerk", input: { description: "tea" } }] },
      { calls: [search("c1", "tea")] },
      { text: "Boil it [2]." },
      { text: "Two years [1], and boil it [2]." },
    );
    const { frames } = await ask(app.admin, { message: "go" });
    const results = frames.filter(({ event }) => event === "tool_result");
    expect(results.map(({ data }) => data.citations)).toMatchObject([
      [{ number: 1, file_name: "router.md" }],
      [{ number: 2, file_name: "kettle.md" }],
    ]);
  });
});
