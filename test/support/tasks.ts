import { expect, vi } from "vitest";
import { createAgent } from "#engine/agents/operations.ts";
import { adminSession } from "#engine/kernel/principal.ts";
import { createModel } from "#engine/models/operations.ts";
import type { ChatModelCall, CreateChatModel } from "#engine/providers/provider.ts";
import { createSchema } from "#engine/schemas/operations.ts";
import { type Caller, startTestApp, type TestApp, type TestResponse } from "./app.ts";
import { type ScriptedModel, type Step, scriptedModel } from "./scripted-model.ts";

export interface TaskApp extends TestApp {
  readonly admin: Caller;
  /** The model as it works on the task with this title. */
  on(title: string, ...steps: Step[]): ScriptedModel;
  /** Titles in the order in which their turns first reached the model. */
  readonly begun: string[];
  /** Creates a background task for `helper`; resolves with its id. */
  background(title: string, fields?: object): Promise<string>;
  get(id: string): Promise<TestResponse["body"]>;
  /** Resolves when the task has this status. */
  reach(id: string, status: string): Promise<TestResponse["body"]>;
}

/** An app whose model has a script for each task, told by its title; without one it says `Done: TITLE`. */
export async function startTaskApp(
  agent: Record<string, unknown> = {},
  overrides: Parameters<typeof startTestApp>[0] = {},
): Promise<TaskApp> {
  const models = new Map<string, ScriptedModel>();
  const begun: string[] = [];
  const on = (title: string, ...steps: Step[]): ScriptedModel => {
    const model = models.get(title) ?? scriptedModel();
    models.set(title, model);
    model.script(...steps);
    return model;
  };
  const createChatModel: CreateChatModel = async (options) => ({
    async doStream(call) {
      const title = titleOf(call);
      if (!begun.includes(title)) begun.push(title);
      const model = models.get(title) ?? scriptedModel({ text: `Done: ${title}` });
      return (await model.create(options)).doStream(call);
    },
  });
  const app = await startTestApp({ createChatModel, ...overrides });
  const principal = adminSession("test");
  const scripted = { name: "scripted", type: "demo", model_name: "demo" };
  await app.engine.call(principal, createModel, scripted);
  await app.engine.call(principal, createAgent, { name: "helper", system: "Help.", ...agent });
  const schema = { name: "support", entry_agent_id: "helper", chat_enabled: true };
  await app.engine.call(principal, createSchema, schema);
  const admin = await app.as("admin");
  const get = async (id: string) => (await admin.get(`/tasks/${id}`)).body;
  return {
    ...app,
    admin,
    on,
    begun,
    get,
    async background(title, fields = {}) {
      const body = { title, agent_name: "helper", mode: "background", ...fields };
      const answer = await admin.post("/tasks", body);
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.body.task_id;
    },
    reach: (id, status) =>
      vi.waitFor(
        async () => {
          const task = await get(id);
          expect(task.status, task.error).toBe(status);
          return task;
        },
        { timeout: 4_000, interval: 2 },
      ),
  };
}

/** The first line of the message that began the turn. */
function titleOf({ prompt }: ChatModelCall): string {
  const first = prompt.find(({ role }) => role === "user");
  const [part] = first?.role === "user" ? first.content : [];
  return (part?.type === "text" ? part.text : "").split("\n")[0] ?? "";
}
