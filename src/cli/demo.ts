import { createAgent } from "#engine/agents/operations.ts";
import type { Engine } from "#engine/engine.ts";
import { EngineError } from "#engine/kernel/error.ts";
import { adminSession } from "#engine/kernel/principal.ts";
import { createModel } from "#engine/models/operations.ts";
import { createSchema } from "#engine/schemas/operations.ts";

export const DEMO_SCHEMA = "demo";

const SYSTEM_PROMPT = [
  "You are the guide of troupe, the software you run on. Answer questions about it from its",
  "documentation, which you search with your tool, and name the pages you used.",
].join(" ");

/** A schema to try everything with, offline and without a key; what is there already is kept. */
export async function installDemo(engine: Engine): Promise<void> {
  const principal = adminSession("demo");
  const model = { name: "demo", type: "demo", model_name: "demo" };
  await unlessThere(engine.call(principal, createModel, model));
  const agent = {
    name: "guide",
    system: SYSTEM_PROMPT,
    model: "demo",
    tools: ["search_documentation", "current_time"],
  };
  await unlessThere(engine.call(principal, createAgent, agent));
  const schema = {
    name: DEMO_SCHEMA,
    description: "Answers questions about troupe from its own documentation, offline",
    entry_agent_id: "guide",
    chat_enabled: true,
  };
  await unlessThere(engine.call(principal, createSchema, schema));
}

async function unlessThere(created: Promise<unknown>): Promise<void> {
  try {
    await created;
  } catch (error) {
    if (error instanceof EngineError && error.code === "conflict") return;
    throw error;
  }
}
