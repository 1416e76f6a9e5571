import { expect, test } from "vitest";
import { createEngine } from "#engine/engine.ts";
import { createSecretBox } from "#engine/kernel/secrets.ts";
import type { ExtractChunks, Extraction } from "#engine/knowledge/extraction.ts";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import { chunksIn, extractHere } from "../support/extraction.ts";
import { settled, upload, withManuals } from "../support/files.ts";
import { quietLog } from "../support/log.ts";

const FILES = "/knowledge-bases/manuals/files";
const MANY = Array.from({ length: 100 }, (_, at) => `# H${at}\n\nText ${at}.`).join("\n\n");

/** The engine of a process that comes after; the one before may still hang in its work. */
const restarted = (app: ChatApp, extract: ExtractChunks = extractHere) =>
  createEngine({
    store: app.store,
    version: "0.0.0-test",
    secrets: createSecretBox(new Uint8Array(32)),
    verifier: { verify: () => Promise.reject(new Error("nobody asks")) },
    issuer: undefined,
    tools: [],
    extract,
    log: quietLog,
    owner: "server",
    now: app.clock.now,
  });

/** Begins with a file, and says when; never comes to an end, like a process that was killed. */
function hanging() {
  const begun = Promise.withResolvers<void>();
  const extract: ExtractChunks = () => {
    begun.resolve();
    return new Promise<Extraction>(() => undefined);
  };
  return { extract, begun: begun.promise };
}

const uploadMany = async (app: ChatApp): Promise<string> =>
  `${FILES}/${(await upload(app.admin, { name: "many.md", content: MANY })).body.id}`;

test("a file whose process died is taken up by the next one", async () => {
  const { extract, begun } = hanging();
  const app = await withManuals(await startChatApp([], {}, { extract }));
  const path = await uploadMany(app);
  await begun;
  expect((await app.admin.get(path)).body).toMatchObject({ status: "indexing", chunks_done: 0 });
  const next = restarted(app);
  await next.start();
  expect(await settled(app.admin, path)).toMatchObject({ status: "ready", chunk_count: 100 });
  await next.stop(0);
});

test("a file that was stored in part is stored to its end, with nothing in it twice", async () => {
  const { extract, begun } = hanging();
  const app = await withManuals(await startChatApp([], {}, { extract }));
  const path = await uploadMany(app);
  await begun;
  const file_id = path.split("/").at(-1) ?? "";
  const whole = await chunksIn("md", Buffer.from(MANY));
  const chunks = "chunks" in whole ? whole.chunks.slice(0, 40) : [];
  await app.store.write((tx) =>
    tx.knowledge_chunks.insert(
      chunks.map((chunk) => ({ ...chunk, file_id, index: "words", indexed_text: chunk.text })),
    ),
  );
  const next = restarted(app);
  await next.start();
  expect(await settled(app.admin, path)).toMatchObject({ status: "ready", chunks_done: 100 });
  expect(await app.store.read.knowledge_chunks.count(file_id)).toBe(100);
  await next.stop(0);
});

test("a file that is deleted while it is read is not indexed any more", async () => {
  const deleted = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const extract: ExtractChunks = async (file) => {
    const extraction = await extractHere(file);
    begun.resolve();
    await deleted.promise;
    return extraction;
  };
  const app = await withManuals(await startChatApp([], {}, { extract }));
  const path = await uploadMany(app);
  await begun.promise;
  expect((await app.admin.delete(path)).status).toBe(200);
  deleted.resolve();
  const other = await upload(app.admin, { name: "b.txt", content: "x" });
  await settled(app.admin, `${FILES}/${other.body.id}`);
  expect(await app.store.read.knowledge_chunks.count(path.split("/").at(-1) ?? "")).toBe(0);
});

test("a file at which process after process dies is given up", async () => {
  const app = await withManuals(await startChatApp([], {}, { extract: hanging().extract }));
  const path = await uploadMany(app);
  for (let death = 0; death < 9; death += 1) {
    const { extract, begun } = hanging();
    await restarted(app, extract).start();
    await begun;
  }
  await restarted(app).start();
  const file = await settled(app.admin, path);
  expect(file).toMatchObject({ status: "error" });
  expect(file.status_message).toContain("given up");
});

test("what a file's passages are kept in is freed when they can't be stored", async () => {
  const freed = Promise.withResolvers<void>();
  const extract: ExtractChunks = async (file) => {
    const extraction = await extractHere(file);
    if ("problem" in extraction) return extraction;
    app.failWrites(true);
    return { ...extraction, close: async () => freed.resolve() };
  };
  const app = await withManuals(await startChatApp([], {}, { extract }));
  await uploadMany(app);
  await freed.promise;
  app.failWrites(false);
});
