import { expect, test } from "vitest";
import { installDemo } from "#cli/demo/demo.ts";
import { startTestApp, type TestApp } from "../support/app.ts";
import { quietLog } from "../support/log.ts";
import { read } from "../support/turns.ts";

const BASE = "/knowledge-bases/troupe-documentation";

interface Listed {
  readonly id: string;
  readonly file_name: string;
  readonly status: string;
  readonly hash: string;
}

const install = ({ engine }: TestApp) => installDemo(engine, quietLog);

async function started() {
  const app = await startTestApp();
  const admin = await app.as("admin");
  const ask = async (message: string) => read(await admin.open("/schemas/demo/chat", { message }));
  const files = async () => (await admin.get(`${BASE}/files`)).body as Listed[];
  return { ...app, admin, ask, files };
}

test("the demo answers from troupe's documentation, also when it is asked at once", async () => {
  const app = await started();
  await install(app);
  const { one } = await app.ask("How do I create a token?");
  expect(one("tool_result")).toMatchObject({ tool: "knowledge_search", has_error: false });
  expect(one("tool_result").citations[0]).toMatchObject({
    number: 1,
    knowledge_base: "troupe-documentation",
  });
  expect(one("message").content).toMatch(/^From \S+\.md - .+ \[1\]:[\s\S]*troupe tokens create/);
});

test("the demo's sub-agent answers from it, too", async () => {
  const app = await started();
  await install(app);
  const { one } = await app.ask("Ask the researcher to explain sessions");
  expect(one("tool_result").tool).toBe("spawn_researcher");
  expect(one("tool_result").citations.length).toBeGreaterThan(0);
});

test("another start changes nothing, and keeps what somebody added", async () => {
  const app = await started();
  await (await install(app)).finished;
  const form = new FormData();
  form.append("file", new Blob(["Ours."]), "ours.md");
  await app.admin.postForm(`${BASE}/files`, form);
  const before = await app.files();
  await (await install(app)).finished;
  expect((await app.files()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
});

test("a page that changed takes the place of the old one once it is indexed", async () => {
  const app = await started();
  await (await install(app)).finished;
  const old = (await app.files()).find(({ file_name }) => file_name === "api.md");
  await app.store.write((tx) => tx.knowledge_files.update(old?.id ?? "", { hash: "older" }));
  await (await install(app)).finished;
  const pages = (await app.files()).filter(({ file_name }) => file_name === "api.md");
  expect(pages).toMatchObject([{ status: "ready" }]);
  expect(pages[0]?.id).not.toBe(old?.id);
});

test("what was deleted comes back with the next start, and not before", async () => {
  const app = await started();
  await (await install(app)).finished;
  await app.admin.delete(BASE);
  expect((await app.ask("What is a session?")).one("tool_result").content).toBe(
    "No knowledge base is linked to this agent.",
  );
  await (await install(app)).finished;
  expect((await app.files()).length).toBeGreaterThan(5);
});

test("a start that is over before the pages are indexed leaves the rest to the next one", async () => {
  const app = await started();
  await (await install(app)).stop();
  await (await install(app)).finished;
  const files = await app.files();
  expect(new Set(files.map(({ file_name }) => file_name)).size).toBe(files.length);
  expect(new Set(files.map(({ status }) => status))).toEqual(new Set(["ready"]));
});
