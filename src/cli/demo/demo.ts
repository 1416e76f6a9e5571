import { createAgent } from "#engine/agents/operations.ts";
import { createCapability } from "#engine/capabilities/operations.ts";
import type { Engine } from "#engine/engine.ts";
import { EngineError } from "#engine/kernel/error.ts";
import { adminSession } from "#engine/kernel/principal.ts";
import { createKnowledgeBase, linkAgent } from "#engine/knowledge/operations.ts";
import { createModel } from "#engine/models/operations.ts";
import type { Operation } from "#engine/operation.ts";
import { createRelation } from "#engine/relations/operations.ts";
import { createSchema } from "#engine/schemas/operations.ts";
import type { Logger } from "#engine/services.ts";
import { DOCUMENTATION, type Filling, fillDocumentation } from "./documentation.ts";

export const DEMO_SCHEMA = "demo";

const GUIDE = {
  name: "guide",
  system:
    "You are the guide of troupe, the software you run on. Answer questions about it from its documentation, which you search with your tool, and put the numbers of the passages you used in brackets.",
  model: "demo",
  tools: ["current_time", "show_structured_output"],
  // What is remembered about a person is theirs to allow; it shows what an approval is like, too.
  confirm_before: ["memory_store"],
};

const RESEARCHER = {
  name: "researcher",
  system: "You look things up in the documentation of troupe and report what you found.",
  model: "demo",
};

const BASE = {
  name: DOCUMENTATION,
  description: "The documentation of this version of troupe; `troupe serve --demo` keeps it so",
};

/**
 * A schema to try everything with, offline and without a key; what is there already is kept. The agents'
 * documentation is indexed in the background.
 */
export async function installDemo(engine: Engine, log: Logger): Promise<Filling> {
  const principal = adminSession("demo");
  const create = <Input>(operation: Operation<Input, unknown>, input: Input) =>
    unlessThere(engine.call(principal, operation, input));
  await create(createModel, { name: "demo", type: "demo", model_name: "demo" });
  await create(createAgent, GUIDE);
  await create(createAgent, RESEARCHER);
  await create(createKnowledgeBase, BASE);
  for (const { name } of [GUIDE, RESEARCHER]) {
    await create(createCapability, { name, type: "knowledge" });
    await create(linkAgent, { name: DOCUMENTATION, agent_name: name });
  }
  await create(createCapability, {
    name: GUIDE.name,
    type: "memory",
    config: { max_entries: 100 },
  });
  await create(createSchema, {
    name: DEMO_SCHEMA,
    description: "Answers questions about troupe from its own documentation, offline",
    entry_agent_id: GUIDE.name,
    chat_enabled: true,
  });
  const relation = { name: DEMO_SCHEMA, source: GUIDE.name, target: RESEARCHER.name };
  await create(createRelation, relation);
  return fillDocumentation((operation, input) => engine.call(principal, operation, input), log);
}

async function unlessThere(created: Promise<unknown>): Promise<void> {
  try {
    await created;
  } catch (error) {
    if (error instanceof EngineError && error.code === "conflict") return;
    throw error;
  }
}
