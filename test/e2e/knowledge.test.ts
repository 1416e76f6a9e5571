import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test, vi } from "vitest";
import { makeDocx, makePdf } from "../support/documents.ts";
import { adminOf, run, serve, start, temporaryFolder } from "../support/executable.ts";
import { startModelServer } from "../support/model-server.ts";

/** A folder with one real file of each kind, and one that is broken. */
async function library(): Promise<string> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "sub"));
  const files: Record<string, string | Uint8Array> = {
    "refunds.pdf": await makePdf(["Contents", "Refunds are paid within thirty days."]),
    "warranty.docx": await makeDocx(["The warranty lasts two years."]),
    "prices.csv": "item,price\nGreen tea,2.50\n",
    "sub/reset.html": "<h1>Router</h1><h2>Reset</h2><p>Hold the button for ten seconds.</p>",
    "broken.json": "{",
    "ignored.bin": "x",
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

const DOCUMENTS = resolve("test/documents");

test("documents are added from the command line, and an agent answers from them", async () => {
  const folder = await library();
  const server = await serve();
  const client = ["--data-dir", server.data_dir];
  const add = () => run(["knowledge", "add", folder, "--base", "shop", "--json", ...client]);
  const first = await add();
  expect(first.code).toBe(1);
  const added = JSON.parse(first.stdout) as Record<string, unknown>[];
  expect(added.map(({ file_name, status }) => [file_name, status])).toEqual([
    ["broken.json", "error"],
    ["prices.csv", "ready"],
    ["refunds.pdf", "ready"],
    ["sub_reset.html", "ready"],
    ["warranty.docx", "ready"],
  ]);
  expect((await run(["knowledge", "rm", "broken.json", "--base", "shop", ...client])).code).toBe(0);
  const listed = await run(["knowledge", "list", "--base", "shop", "--json", ...client]);
  expect(JSON.parse(listed.stdout)).toHaveLength(4);

  const admin = await adminOf(server);
  await admin.send("POST", "/models", { name: "demo", type: "demo", model_name: "demo" });
  await admin.send("POST", "/agents", { name: "clerk", system: "Help.", model: "demo" });
  await admin.send("POST", "/agents/clerk/capabilities", { type: "knowledge" });
  await admin.send("POST", "/knowledge-bases/shop/agents/clerk");
  const schema = { name: "shop", entry_agent_id: "clerk", chat_enabled: true };
  await admin.send("POST", "/schemas", schema);
  for (const [question, answer] of [
    ["When are refunds paid?", "refunds.pdf - page 2"],
    ["How long is the warranty?", "warranty.docx"],
    ["What does green tea cost?", "price: 2.50"],
    ["How do I reset the router?", "sub_reset.html - Router > Reset"],
  ] as const) {
    const { stdout } = await run(["chat", "shop", "-m", question, ...client]);
    expect(stdout).toContain(answer);
  }
});

test("a folder that is added again is indexed only as far as it changed", async () => {
  const folder = await library();
  const server = await serve();
  const client = ["--url", server.url];
  const add = async () => {
    const { stdout } = await run([
      "knowledge",
      "add",
      folder,
      "--base",
      "shop",
      "--json",
      ...client,
    ]);
    const results = JSON.parse(stdout) as Record<string, string>[];
    return Object.fromEntries(results.map(({ file_name, change }) => [file_name, change]));
  };
  await add();
  rmSync(join(folder, "broken.json"));
  rmSync(join(folder, "warranty.docx"));
  writeFileSync(join(folder, "prices.csv"), "item,price\nGreen tea,2.75\n");
  writeFileSync(join(folder, "new.txt"), "Something new.");
  expect(await add()).toEqual({
    "new.txt": "added",
    "prices.csv": "replaced",
    "refunds.pdf": "unchanged",
    "sub_reset.html": "unchanged",
    "broken.json": "missing",
    "warranty.docx": "missing",
  });
  const search = (query: string) =>
    run(["knowledge", "search", query, "--base", "shop", ...client]);
  const { stdout } = await search("green tea");
  expect(stdout).toContain("2.75");
  expect(stdout).not.toContain("2.50");
  expect((await search("warranty")).stdout).toMatch(/^SCORE .*\n\d\.\d\d +warranty\.docx /);
  expect((await run(["knowledge", "search", "x", "--limit", "0", ...client])).code).toBe(2);
});

test("files that are added without a server are found by what they mean when the command ends", async () => {
  const place = ["--base", "manuals", "--data-dir", temporaryFolder(), "--json"];
  const { code, stdout } = await run(["knowledge", "add", DOCUMENTS, ...place]);
  expect(code).toBe(0);
  const added = JSON.parse(stdout) as Record<string, unknown>[];
  expect(added.length).toBeGreaterThan(0);
  for (const file of added) {
    expect(file).toMatchObject({ change: "added", status: "ready" });
    expect(file).not.toHaveProperty("status_message");
  }
  const query = "going back to how the device left the factory";
  const found = await run(["knowledge", "search", query, ...place]);
  expect(JSON.parse(found.stdout)[0].text).toContain("ten seconds");
});

test("an agent cites documents that common tools made, down to pages, headings and sheets", async () => {
  const server = await serve();
  const client = ["--url", server.url];
  const added = await run([
    "knowledge",
    "add",
    DOCUMENTS,
    "--base",
    "manuals",
    "--json",
    ...client,
  ]);
  expect(added.code).toBe(0);
  const admin = await adminOf(server);
  const model = await startModelServer();
  await admin.send("POST", "/models", {
    name: "scripted",
    type: "openai_compatible",
    model_name: "m",
    base_url: model.base_url,
  });
  await admin.send("POST", "/agents", { name: "helper", system: "Help.", model: "scripted" });
  await admin.send("POST", "/agents/helper/capabilities", { type: "knowledge" });
  await admin.send("POST", "/knowledge-bases/manuals/agents/helper");
  const schema = { name: "help", entry_agent_id: "helper", chat_enabled: true };
  await admin.send("POST", "/schemas", schema);

  for (const [query, file, place, text] of [
    ["factory settings", "manual.docx", { heading_path: ["Router", "Reset"] }, "ten seconds"],
    ["factory settings", "manual.html", { heading_path: ["Router", "Reset"] }, "ten seconds"],
    ["factory settings", "manual.pdf", { page: 1 }, "ten seconds"],
    ["green tea", "prices.csv", {}, "Item: Green tea | Price: 2.50"],
    ["green tea", "prices.xlsx", { heading_path: ["prices"] }, "Since: 2024-03-01"],
    ["gift cards", "slides.pptx", { page: 1, heading_path: ["Refunds"] }, "Notes: Tell them"],
  ] as const) {
    model.script(
      { call: { tool: "knowledge_search", input: { query, file, limit: 1 } } },
      { text: "It is so [1]." },
    );
    const message = { message: query, stream: false };
    const { body } = await admin.json("POST", "/schemas/help/chat", message);
    const [{ output, citations }] = body.tool_calls;
    expect(citations).toMatchObject([{ number: 1, file_name: file, ...place }]);
    expect(output).toContain(`[1] Source: ${file}`);
    expect(output).toContain(text);
    const asked = model.requests.at(-1)?.body.messages.at(-1);
    expect(asked).toMatchObject({ role: "tool", content: expect.stringContaining(text) });
  }

  model.script(
    { call: { tool: "knowledge_search", input: { query: "warranty years", file: "docx" } } },
    { text: "Two years [1]." },
  );
  const chat = await run(["chat", "help", "-m", "How long is the warranty?", ...client]);
  expect(chat).toMatchObject({ code: 0, stdout: "Two years [1].\n" });
  expect(chat.stderr).toContain("Sources\n[1] manual.docx · Router > Warranty\n");
});

const SECTIONS = 8_000;

test("a server that is killed while it indexes goes on, with nothing twice and nothing missing", async () => {
  const data_dir = temporaryFolder();
  const before = await serve({ data_dir });
  const admin = await adminOf(before);
  await admin.send("POST", "/knowledge-bases", { name: "manuals" });
  const sections = Array.from(
    { length: SECTIONS },
    (_, at) => `# S${at}\n\nThe word is w${at}w.\n`,
  );
  const form = new FormData();
  form.append("file", new Blob([sections.join("\n")]), "large.md");
  const { headers } = admin;
  const url = `${before.url}/api/v1/knowledge-bases/manuals/files`;
  const uploaded = await fetch(url, { method: "POST", headers, body: form });
  const { id } = (await uploaded.json()) as { id: string };
  const path = `/knowledge-bases/manuals/files/${id}`;
  const begun = await vi.waitFor(
    async () => {
      const { body } = await admin.json("GET", path);
      expect(body.chunk_count).toBeGreaterThan(0);
      return body;
    },
    { timeout: 30_000, interval: 10 },
  );
  await before.kill9();
  expect(begun).toMatchObject({ status: "indexing" });

  const after = await serve({ data_dir });
  const again = await adminOf(after);
  const ready = await vi.waitFor(
    async () => {
      const { body } = await again.json("GET", path);
      expect(body.status).not.toBe("indexing");
      return body;
    },
    { timeout: 60_000, interval: 50 },
  );
  expect(ready).toMatchObject({ status: "ready", chunk_count: SECTIONS, chunks_done: SECTIONS });
  for (let at = 0; at < SECTIONS; at += 67) {
    const search = `/knowledge-bases/manuals/search?q=w${at}w&top_k=50`;
    const { body } = await again.json("GET", search);
    const holding = (body as { text: string }[]).filter(({ text }) => text.includes(`w${at}w`));
    expect(holding).toMatchObject([{ file_id: id, heading_path: [`S${at}`] }]);
  }
});

test("a command that was killed while it indexed leaves nothing twice to the next one", async () => {
  const data_dir = temporaryFolder();
  const folder = temporaryFolder();
  const sections = Array.from(
    { length: SECTIONS },
    (_, at) => `# S${at}\n\nThe word is w${at}w.\n`,
  );
  writeFileSync(join(folder, "large.md"), sections.join("\n"));
  const add = ["knowledge", "add", folder, "--base", "manuals", "--data-dir", data_dir];
  const list = ["knowledge", "list", "--base", "manuals", "--json", "--data-dir", data_dir];
  const files = async () => JSON.parse((await run(list)).stdout || "[]") as object[];
  const killed = start(add);
  await vi.waitFor(async () => expect(await files()).toMatchObject([{ status: "indexing" }]), {
    timeout: 30_000,
  });
  killed.kill9();
  await killed.finished;
  const again = start(add);
  await vi.waitFor(
    async () => expect(await files()).toMatchObject([{ status: "ready", chunks_done: SECTIONS }]),
    { timeout: 30_000 },
  );
  again.kill9();
  await again.finished;
});

test("a command waits for the meaning of files that one before it left, though they are unchanged", async () => {
  const place = ["--base", "manuals", "--data-dir", temporaryFolder(), "--json"];
  const file = join(temporaryFolder(), "words.md");
  const sections = Array.from({ length: 600 }, (_, at) => `# S${at}\n\nThe word is w${at}w.\n`);
  writeFileSync(file, sections.join("\n"));
  const files = async () =>
    JSON.parse((await run(["knowledge", "list", ...place])).stdout || "[]") as object[];
  const killed = start(["knowledge", "add", file, ...place]);
  const pending = { status: "ready", status_message: expect.stringContaining("still being") };
  await vi.waitFor(async () => expect(await files()).toMatchObject([pending]), {
    timeout: 30_000,
  });
  killed.kill9();
  await killed.finished;
  const { code, stdout } = await run(["knowledge", "add", file, ...place]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ change: "unchanged", status: "ready" }]);
  for (const one of await files()) expect(one).not.toHaveProperty("status_message");
});
