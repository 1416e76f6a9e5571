import { describe, expect, test } from "vitest";
import { startChatApp } from "../support/chat.ts";
import { index, settled, upload, withManuals } from "../support/files.ts";

const FILES = "/knowledge-bases/manuals/files";
const started = async () => withManuals(await startChatApp());

describe("an uploaded file", () => {
  test("is accepted at once and ready when its text is indexed", async () => {
    const { admin } = await started();
    const file = { name: "Käyttö ohje.md", content: "# Start\n\nPress the button.\n" };
    const accepted = await upload(admin, file);
    expect(accepted.status).toBe(201);
    expect(accepted.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      file_name: "Käyttö ohje.md",
      file_type: "md",
      file_size: 27,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      status: "indexing",
      chunk_count: 0,
      chunks_done: 0,
      created_at: "2026-03-01T12:00:00Z",
    });
    const ready = await settled(admin, `${FILES}/${accepted.body.id}`);
    expect(ready).toEqual({
      ...accepted.body,
      status: "ready",
      status_message: "indexed by words alone: this build has no embedded model",
      chunk_count: 1,
      chunks_done: 1,
      indexed_at: "2026-03-01T12:00:00Z",
    });
    expect((await admin.get(FILES)).body).toEqual([ready]);
    expect((await admin.get("/knowledge-bases/manuals")).body.file_count).toBe(1);
    const { knowledge_documents } = (await admin.get("/usage-status")).body;
    expect(knowledge_documents).toEqual({ used: 1, limit: null });
  });

  test("leaves its text behind, not its bytes", async () => {
    const { admin, store } = await started();
    const { id } = await index(admin, { name: "a.txt", content: "one two three" });
    expect(await Array.fromAsync(store.read.knowledge_files.readUpload(id))).toHaveLength(0);
    expect(await store.read.knowledge_chunks.count(id)).toBe(1);
  });

  test("is kept as often as it is sent", async () => {
    const { admin } = await started();
    const file = { name: "a.txt", content: "same" };
    await index(admin, file);
    await index(admin, file);
    expect((await admin.get(FILES)).body).toHaveLength(2);
  });

  test("without any text is ready with nothing in it", async () => {
    const { admin } = await started();
    expect(await index(admin, { name: "a.txt", content: " \n " })).toMatchObject({
      status: "ready",
      chunk_count: 0,
    });
  });

  test("is gone with its base, and one by one", async () => {
    const { admin, store, engine } = await started();
    const one = await index(admin, { name: "a.txt", content: "one" });
    const two = await index(admin, { name: "b.txt", content: "two" });
    const path = `${FILES}/${one.id}`;
    expect(await admin.delete(path)).toMatchObject({ status: 200, body: { status: "deleted" } });
    expect((await admin.delete(path)).status).toBe(404);
    expect((await admin.get(path)).status).toBe(404);
    await admin.delete("/knowledge-bases/manuals");
    await engine.stop(0);
    expect(await store.read.knowledge_files.get(two.id)).toBeUndefined();
  });

  test("is found under its own base only", async () => {
    const { admin } = await started();
    const { id } = await index(admin, { name: "a.txt", content: "one" });
    await admin.post("/knowledge-bases", { name: "other" });
    expect((await admin.get(`/knowledge-bases/other/files/${id}`)).status).toBe(404);
    expect((await admin.delete(`/knowledge-bases/other/files/${id}`)).status).toBe(404);
  });
});

const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

describe("an upload is refused", () => {
  test.each([
    ["of an unknown type", { name: "a.exe", content: "MZ" }, /unsupported type/],
    ["in the old format", { name: "a.doc", content: "x" }, /unsupported type/],
    ["without an extension", { name: "readme", content: "x" }, /unsupported type/],
    ["that is empty", { name: "a.txt", content: "" }, /empty/],
    ["declared as another type", { name: "a.txt", content: "x", type: "image/png" }, /fit/],
    ["that is a PDF in disguise", { name: "a.txt", content: "%PDF-1.7 x" }, /it is a PDF/],
    ["that is no PDF", { name: "a.pdf", content: "hello" }, /like a PDF/],
    ["that is no document", { name: "a.docx", content: "hello" }, /like a document/],
    ["that is no workbook", { name: "a.xlsx", content: "hello" }, /like a document/],
    ["that is no presentation", { name: "a.pptx", content: "a,b" }, /like a document/],
    ["in an older format", { name: "a.xls", content: "x" }, /unsupported type/],
    [
      "that is a workbook by its name alone",
      { name: "a.xlsx", content: "PK\u0003\u0004", type: DOCX },
      /fit/,
    ],
    ["that is binary", { name: "a.csv", content: "a\0b" }, /binary/],
  ])("when it is a file %s", async (_what, file, message) => {
    const { admin } = await started();
    const refused = await upload(admin, file);
    expect(refused.status).toBe(400);
    expect(refused.body.message).toMatch(message);
    expect((await admin.get(FILES)).body).toEqual([]);
  });

  test("when it is larger than 50 MB", async () => {
    const { admin } = await started();
    const refused = await upload(admin, {
      name: "a.txt",
      content: new Uint8Array(50 * 1024 * 1024 + 1).fill(97),
    });
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain("52428800");
    expect((await admin.get(FILES)).body).toEqual([]);
  });

  test("when it is no form, or none with a file in it", async () => {
    const { admin } = await started();
    expect((await admin.post(FILES, { file: "x" })).status).toBe(400);
    const other = await upload(admin, { name: "a.txt", content: "x" }, FILES, "document");
    expect(other.status).toBe(400);
    expect(other.body.message).toBe("file: is required");
  });

  test("when there is no such base, and to those who may not", async () => {
    const app = await started();
    const file = { name: "a.txt", content: "x" };
    expect((await upload(app.admin, file, "/knowledge-bases/none/files")).status).toBe(404);
    expect((await upload(await app.as(["agents:read"]), file)).status).toBe(403);
    expect((await upload(await app.as(["agents:write"]), file)).status).toBe(201);
  });
});

test.each([
  ["a.json", '{"a": 1'],
  ["a.yaml", "a: [1"],
  ["a.docx", "PK\u0003\u0004 not really"],
  ["a.xlsx", "PK\u0003\u0004 not really"],
  ["a.pptx", "PK\u0003\u0004 not really"],
  ["a.pdf", "%PDF-1.7 not really"],
])("a file that is broken ends with a reason: %s", async (name, content) => {
  const { admin } = await started();
  const file = await index(admin, { name, content });
  expect(file).toMatchObject({ status: "error", chunk_count: 0 });
  expect(file.status_message).toMatch(/^it cannot be read as /);
});

test.each([
  "/knowledge-bases/manuals/files/x/reindex",
  "/agents/helper/knowledge/reindex",
  "/agents/helper/knowledge/files/x/reindex",
])("the old route %s is gone", async (path) => {
  const { admin } = await started();
  expect((await admin.post(path)).status).toBe(404);
});
