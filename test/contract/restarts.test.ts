import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { EngineDependencies } from "#engine/create-services.ts";
import { defineTool, type Tool } from "#engine/tools/tool.ts";
import { startTestApp } from "../support/app.ts";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import { type Step, scriptedModel } from "../support/scripted-model.ts";
import { addColleague, frameOf } from "../support/turns.ts";

const OWN = { "X-Model-Provider": "anthropic", "X-Model-API-Key": "sk-visitor-0123456789" };

/** A turn that hangs in a step which holds; the server then stops. */
async function stoppedIn(app: ChatApp, headers: Record<string, string> = {}): Promise<string> {
  const response = await app.admin.open("/schemas/support/chat", { message: "go" }, headers);
  await app.model.held();
  await app.engine.stop(0);
  await response.text();
  return response.headers.get("X-Session-Id") ?? "";
}

/** The next server on the same store, whose model goes on with these steps. */
async function next(app: ChatApp, steps: Step[], more: Partial<EngineDependencies> = {}) {
  const model = scriptedModel(...steps);
  const { store } = app;
  const now = app.clock.now;
  const started = await startTestApp({ store, now, createChatModel: model.create, ...more });
  return { ...started, model, admin: await started.as("admin") };
}

/** A tool that counts how often it ran, whichever server it ran on. */
function counting(retry: Tool["retry"]): { tool: Tool; ran: () => number } {
  let ran = 0;
  const tool = defineTool({
    name: "count",
    description: "A test's.",
    security_zone: "safe",
    retry,
    input: z.object({}),
    execute: async () => ({ content: `ran ${++ran} times` }),
  });
  return { tool, ran: () => ran };
}

describe("a turn that a server leaves behind", () => {
  test("is begun anew in the step that was cut", async () => {
    const app = await startChatApp([{ text: "Half a sen", hold: true }]);
    const session_id = await stoppedIn(app);
    const other = await next(app, [{ text: "A whole sentence." }]);
    await frameOf(other, session_id, "done");
    const { body } = await other.admin.get(`/sessions/${session_id}/messages`);
    expect(body.map(({ payload }: { payload: { content: string } }) => payload.content)).toEqual([
      "go",
      "A whole sentence.",
    ]);
  });

  test("goes on within a sub-agent where that one was, doing nothing twice", async () => {
    const { tool, ran } = counting("never");
    const spawn = { id: "s1", tool: "spawn_clerk", input: { description: "count" } };
    const call = { id: "c1", tool: "count", input: {} };
    const app = await startChatApp(
      [{ calls: [spawn] }, { calls: [call] }, { text: "I cou", hold: true }],
      {},
      { tools: [tool] },
    );
    await addColleague(app, "clerk", { tools: ["count"] });
    const session_id = await stoppedIn(app);
    const steps = [{ text: "I counted." }, { text: "It is counted." }];
    const other = await next(app, steps, { tools: [tool] });
    await frameOf(other, session_id, "done");
    expect(ran()).toBe(1);
    const [child, parent] = other.model.calls.map(({ prompt }) => JSON.stringify(prompt));
    expect(child).toContain("I am clerk.");
    expect(child).toContain("ran 1 times");
    expect(parent).toContain("I counted.");
    expect(other.model.calls).toHaveLength(2);
  });

  test("counts all of its steps, before and after", async () => {
    const { tool } = counting("safe");
    const call = { id: "c1", tool: "count", input: {} };
    const app = await startChatApp(
      [
        { calls: [call], usage: { prompt: 10, completion: 1 } },
        { text: "So", hold: true },
      ],
      { tools: ["count"] },
      { tools: [tool] },
    );
    const session_id = await stoppedIn(app);
    const steps = [{ text: "So far.", usage: { prompt: 20, completion: 2 } }];
    const other = await next(app, steps, { tools: [tool] });
    const { data } = await frameOf(other, session_id, "done");
    expect(data).toMatchObject({ prompt_tokens: 30, completion_tokens: 3 });
    const { metrics } = (await other.admin.get("/usage")).body;
    expect(metrics).toContainEqual(expect.objectContaining({ name: "turns", used: 1 }));
    expect(metrics).toContainEqual(expect.objectContaining({ name: "steps", used: 2 }));
  });

  test("fails when it lived on a caller's own key, which was kept in memory only", async () => {
    const app = await startChatApp([{ text: "Half", hold: true }]);
    await app.admin.put("/settings/byok.enabled", { value: "true" });
    await app.admin.put("/settings/byok.allowed_providers", { value: "anthropic" });
    const session_id = await stoppedIn(app, OWN);
    const other = await next(app, [{ text: "Never asked." }]);
    const { data } = await frameOf(other, session_id, "error");
    expect(data).toMatchObject({ code: "model_error" });
    expect(data.message).toContain("send the message again");
    expect(other.model.calls).toEqual([]);
    expect((await other.admin.get(`/sessions/${session_id}`)).body.status).toBe("failed");
  });
});

describe("a message that waits behind another", () => {
  test("keeps its caller's own model", async () => {
    const types: string[] = [];
    const model = scriptedModel({ text: "first", hold: true }, { text: "second" });
    const app = await startChatApp(
      [],
      {},
      {
        createChatModel: async (connection) => {
          types.push(connection.type);
          return model.create(connection);
        },
      },
    );
    await app.admin.put("/settings/byok.enabled", { value: "true" });
    await app.admin.put("/settings/byok.allowed_providers", { value: "anthropic" });
    const first = await app.admin.open("/schemas/support/chat", { message: "1" });
    await model.held();
    const session_id = first.headers.get("X-Session-Id");
    const body = { message: "2", session_id };
    const second = await app.admin.open("/schemas/support/chat", body, OWN);
    model.release();
    expect(await first.text()).toContain("first");
    expect(await second.text()).toContain("second");
    expect(types).toEqual(["demo", "anthropic"]);
  });
});
