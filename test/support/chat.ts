import { createAgent } from "#engine/agents/operations.ts";
import { adminSession } from "#engine/kernel/principal.ts";
import { createModel } from "#engine/models/operations.ts";
import { createSchema } from "#engine/schemas/operations.ts";
import { type Caller, startTestApp, type TestApp, type TestOverrides } from "./app.ts";
import { type ScriptedModel, type Step, scriptedModel } from "./scripted-model.ts";

export interface ChatApp extends TestApp {
  readonly model: ScriptedModel;
  readonly admin: Caller;
}

/** An app with a model that plays a script, and the schema `support` with the agent `helper`. */
export async function startChatApp(
  steps: readonly Step[] = [],
  agent: Record<string, unknown> = {},
  overrides: TestOverrides = {},
): Promise<ChatApp> {
  const model = scriptedModel(...steps);
  const app = await startTestApp({ createChatModel: model.create, ...overrides });
  const principal = adminSession("test");
  await app.engine.call(principal, createModel, {
    name: "scripted",
    type: "demo",
    model_name: "demo",
  });
  await app.engine.call(principal, createAgent, { name: "helper", system: "Help.", ...agent });
  const schema = { name: "support", entry_agent_id: "helper", chat_enabled: true };
  await app.engine.call(principal, createSchema, schema);
  return { ...app, model, admin: await app.as("admin") };
}
