import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readDocumentFiles } from "#cli/config/document-files.ts";
import { validateDocument } from "#engine/config/validate.ts";
import { startTestApp } from "../support/app.ts";
import { type Step, scriptedModel } from "../support/scripted-model.ts";

const EXAMPLES = [
  "support-desk.yaml",
  "document-assistant/assistant.yaml",
  "sales.yaml",
  "coding-helper.yaml",
  "research-team",
];

const pathOf = (example: string) => resolve("examples", example);

/** An example as its reader would apply it, with what its comments say to export. */
async function apply(example: string, environment: Record<string, string>, ...steps: Step[]) {
  const model = scriptedModel(...steps);
  const app = await startTestApp({ createChatModel: model.create });
  const admin = await app.as("admin");
  const files = await readDocumentFiles(pathOf(example), environment);
  const { status, body } = await admin.post("/config/apply", { ...files, strict: true });
  expect(body.message ?? body.warnings).toEqual([]);
  expect(status).toBe(200);
  const chat = async (schema: string, message: string) =>
    (await admin.post(`/schemas/${schema}/chat`, { message, stream: false })).body;
  return { app, admin, model, chat, files };
}

async function startService() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(
      `${request.method} ${request.url} ${request.headers.authorization ?? request.headers["x-api-key"]}`,
    );
    response.end(JSON.stringify({ status: "on its way" }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("an example without its variables says which of them are missing, and what comes of it", async () => {
  const app = await startTestApp();
  const admin = await app.as("admin");
  const files = await readDocumentFiles(pathOf("research-team"), {});
  for (const door of ["/config/plan", "/config/apply"]) {
    const { status, body } = await admin.post(door, { ...files, strict: true });
    expect(status).toBe(400);
    expect(body.message).toMatch(
      /models\.yaml:5:\d+: \$\{LLM_URL\} is not set here.*models\.thinker: base_url: is required/s,
    );
    expect(body.message).not.toContain("LLM_KEY");
  }
});

describe("every example", () => {
  test.each(EXAMPLES)("%s is a valid document", async (example) => {
    const { documents, variables } = await readDocumentFiles(pathOf(example), {});
    expect((await validateDocument(documents, { variables, is_strict: true })).errors).toEqual([]);
  });
});

test("the support desk routes to a colleague who looks the parcel up", async () => {
  const shop = await startService();
  const { chat } = await apply(
    "support-desk.yaml",
    { SHOP_URL: shop.url, SHOP_TOKEN: "t-1" },
    { calls: [{ id: "c1", tool: "spawn_tracer", input: { description: "Where is P-1042?" } }] },
    { calls: [{ id: "c2", tool: "find_parcel", input: { parcel_id: "P-1042" } }] },
    { text: "P-1042 is on its way." },
    { text: "It is on its way." },
  );
  expect(await chat("support", "Where is P-1042?")).toMatchObject({ message: "It is on its way." });
  expect(shop.asked).toEqual(["GET /parcels/P-1042 Bearer t-1"]);
});

test("the document assistant answers from what was added to its knowledge base", async () => {
  const { admin, chat } = await apply(
    "document-assistant/assistant.yaml",
    {},
    { calls: [{ id: "c1", tool: "knowledge_search", input: { query: "days of paid leave" } }] },
    { text: "27 days, says leave.md." },
  );
  await admin.post("/knowledge-bases", { name: "handbook" });
  const form = new FormData();
  const text = readFileSync(pathOf("document-assistant/documents/leave.md"));
  form.append("file", new Blob([text], { type: "text/markdown" }), "leave.md");
  const { body: file } = await admin.postForm("/knowledge-bases/handbook/files", form);
  await expect
    .poll(async () => (await admin.get(`/knowledge-bases/handbook/files/${file.id}`)).body.status)
    .toBe("ready");
  await admin.post("/knowledge-bases/handbook/agents/librarian");
  await admin.post("/agents/librarian/capabilities", { type: "knowledge" });

  const body = await chat("documents", "How many days of leave are there?");
  expect(body.message).toBe("27 days, says leave.md.");
  expect(body.tool_calls[0].output).toContain("27 days of paid leave");
});

test("sales finds a customer by itself, and sends no quote without a person", async () => {
  const crm = await startService();
  const { chat } = await apply(
    "sales.yaml",
    { CRM_URL: crm.url, CRM_KEY: "k-1", LLM_KEY: "l-1" },
    { calls: [{ id: "c1", tool: "find_customer", input: { name: "Acme" } }] },
    { calls: [{ id: "c2", tool: "send_quote", input: { quote_id: "Q1" } }] },
    { text: "It was not sent." },
  );
  const body = await chat("sales", "Send Acme its quote.");
  expect(body.message).toBe("It was not sent.");
  expect(body.tool_calls[1].output).toContain("needs a person's approval");
  expect(crm.asked).toEqual(["GET /customers?name=Acme k-1"]);
});

test("the coding helper has its server, and asks before it writes", async () => {
  const { admin, chat } = await apply(
    "coding-helper.yaml",
    { PROJECT_DIR: "/srv/project" },
    { text: "Which file?" },
  );
  expect((await admin.get("/mcp-servers")).body).toMatchObject([
    {
      name: "project-files",
      agents: ["coding-helper"],
      args: ["-y", expect.anything(), "/srv/project"],
    },
  ]);
  expect((await admin.get("/agents/coding-helper")).body.confirm_before).toContain("write_file");
  expect(await chat("code", "Mend the test.")).toMatchObject({ message: "Which file?" });
});

test("the research team works through sub-agents, each with its own model and prompt", async () => {
  const { admin, chat, model } = await apply(
    "research-team",
    { LLM_URL: "https://llm.example/v1", LLM_KEY: "k" },
    { calls: [{ id: "c1", tool: "spawn_researcher-one", input: { description: "For it?" } }] },
    { text: "Yes." },
    { calls: [{ id: "c2", tool: "spawn_critic", input: { description: "A draft." } }] },
    { text: "Nothing to mend." },
    { text: "It is likely." },
  );
  expect(await chat("research", "Is it so?")).toMatchObject({ message: "It is likely." });
  const prompts = model.calls.map(({ prompt }) => JSON.stringify(prompt[0]));
  expect(prompts[0]).toContain("You lead a small research team.");
  expect(prompts[1]).toContain("what speaks for the claim");
  expect(prompts[3]).toContain("You read drafts.");
  expect((await admin.get("/agents/critic")).body.model).toBe("thinker");
  expect((await admin.get("/agents/lead")).body.can_spawn).toHaveLength(3);
});

test.each(EXAMPLES)("%s, exported, is what it was", async (example) => {
  const environment = {
    SHOP_URL: "https://shop.example",
    CRM_URL: "https://crm.example",
    LLM_URL: "https://llm.example/v1",
    SHOP_TOKEN: "s",
    CRM_KEY: "s",
    LLM_KEY: "s",
    PROJECT_DIR: "/srv/project",
  };
  const { admin } = await apply(example, environment);
  const { text } = await admin.get("/config/export");
  const { body } = await admin.post("/config/plan", { documents: [{ text }] });
  expect(body.changes).toEqual([]);
});
