import { describe, expect, test } from "vitest";
import { type Caller, startTestApp } from "../support/app.ts";

const DOCUMENT = `# A support desk.
models:
  - name: main
    type: demo
    model_name: demo
agents:
  front-desk:
    system: |
      Route each request
      to the right colleague.
    model: main
    tools: [show_structured_output]
  tracer:
    system_prompt: Find parcels.
    model_name: main
    lifecycle: spawn
    max_steps: 12
schemas:
  - name: parcel-help
    chat_enabled: true
    entry_agent: front-desk
    relations:
      - {from: front-desk, to: tracer}
`;

/** An admin of an empty installation. */
async function start() {
  const app = await startTestApp();
  const admin = await app.as("admin");
  const state = async () => ({
    models: (await admin.get("/models")).body,
    agents: (await admin.get("/agents")).body,
    schemas: (await admin.get("/schemas")).body,
  });
  return { app, admin, state };
}

const exported = async (admin: Caller) => (await admin.get("/config/export")).text;

describe("import", () => {
  test("creates what the document names, in both layouts and under every alias", async () => {
    const { admin } = await start();

    const { status, body } = await admin.post("/config/import", DOCUMENT);

    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "ok",
      imported: true,
      agents_count: 2,
      agents_imported: 2,
      models_imported: 1,
      tools_imported: 0,
      created: 4,
      warnings: [],
    });
    expect((await admin.get("/agents/front-desk")).body).toMatchObject({
      system: "Route each request\nto the right colleague.\n",
      model: "main",
      tools: ["show_structured_output"],
      can_spawn: ["tracer"],
    });
    expect((await admin.get("/agents/tracer")).body).toMatchObject({
      lifecycle: "spawn",
      max_steps: 12,
    });
    expect((await admin.get("/schemas/parcel-help")).body).toMatchObject({
      entry_agent_name: "front-desk",
      chat_enabled: true,
    });
  });

  test("a second time changes nothing, and what others made stays", async () => {
    const { admin } = await start();
    await admin.post("/config/import", DOCUMENT);
    await admin.post("/agents", { name: "other", system: "Mine.", model: "main" });
    const before = await exported(admin);

    const { body } = await admin.post("/config/import", DOCUMENT);

    expect(body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 4 });
    expect(await exported(admin)).toBe(before);
  });
});

test("what is exported imports elsewhere to the same bytes", async () => {
  const [{ admin }, other] = [await start(), await start()];
  await admin.post("/config/import", DOCUMENT);
  const first = await exported(admin);

  await other.admin.post("/config/import", first);

  expect(await exported(other.admin)).toBe(first);
  expect(first).toMatchInlineSnapshot(`
    "# troupe configuration: \`troupe config apply\` makes it so, \`troupe config plan\` says what that would change.
    # Secrets are not part of it.


    models:
      - name: main
        type: demo
        model_name: demo
        is_default: true

    agents:
      - name: front-desk
        model_name: main
        system_prompt: |
          Route each request
          to the right colleague.
        tools:
          - show_structured_output

      - name: tracer
        model_name: main
        system_prompt: Find parcels.
        lifecycle: spawn
        max_steps: 12

    schemas:
      - name: parcel-help
        chat_enabled: true
        entry_agent: front-desk
        relations:
          - from: front-desk
            to: tracer
    "
  `);
});
