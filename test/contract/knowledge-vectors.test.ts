import { describe, expect, test, vi } from "vitest";
import { createEngine } from "#engine/engine.ts";
import { createSecretBox } from "#engine/kernel/secrets.ts";
import type { EmbeddedModel, EmbeddingModel } from "#engine/providers/embedding.ts";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import { startEmbeddingServer } from "../support/embedding-server.ts";
import { index, withManuals } from "../support/files.ts";
import { quietLog } from "../support/log.ts";
import { ask } from "../support/turns.ts";

/** The model knows that a tabby is a cat, and that a lorry is a truck. */
const MEANINGS = [/cat|tabby/i, /truck|lorry/i];
const CATS = { name: "pets.txt", content: "All about the tabby." };
const ROADS = { name: "roads.txt", content: "All about the lorry." };
const FILES = "/knowledge-bases/manuals/files";

const vectorOf = (text: string): number[] => [
  ...MEANINGS.map((meaning) => (meaning.test(text) ? 1 : 0)),
  0.1,
];

/** Says what it was asked, in order. */
function embeddedModel(name = "tiny") {
  const asked: string[] = [];
  let failure: Error | undefined;
  const of = (purpose: string): EmbeddingModel => ({
    doEmbed: async ({ values }) => {
      asked.push(...values.map((value) => `${purpose}: ${value}`));
      if (failure) throw failure;
      return { embeddings: values.map(vectorOf), warnings: [] };
    },
  });
  const model: EmbeddedModel = { name, queries: of("query"), passages: of("passage") };
  const fail = (error?: Error) => {
    failure = error;
  };
  return { model, asked, fail };
}

async function started(embedded_model?: EmbeddedModel, config: object = {}): Promise<ChatApp> {
  const overrides = embedded_model ? { embedded_model } : {};
  const app = await withManuals(await startChatApp([], {}, overrides));
  await app.admin.post("/agents/helper/capabilities", { type: "knowledge", config });
  return app;
}

async function search(app: ChatApp, query: string): Promise<string> {
  const call = { id: crypto.randomUUID(), tool: "knowledge_search", input: { query } };
  app.model.script({ calls: [call] }, { text: "Done." });
  return (await ask(app.admin, { message: "go" })).one("tool_result").content;
}

const findsFirst = (app: ChatApp, query: string, file: string) =>
  vi.waitFor(async () => {
    expect(await search(app, query)).toMatch(new RegExp(`^\\[1\\] Source: ${file}`));
  });

/** Waits until nothing is indexed any more. */
const settled = (app: ChatApp) =>
  vi.waitFor(async () => {
    const { body } = await app.admin.get(FILES);
    for (const { status_message } of body) expect(status_message ?? "").not.toContain("still");
    const bases = await app.store.read.knowledge_bases.list();
    expect(bases.every(({ vector_space }) => vector_space !== undefined)).toBe(true);
  });

describe("a knowledge base without a model of its own", () => {
  test("is searched by meaning with the embedded model", async () => {
    const { model, asked } = embeddedModel();
    const app = await started(model);
    for (const file of [CATS, ROADS]) await index(app.admin, file);
    await settled(app);
    await findsFirst(app, "cat", "pets");
    await findsFirst(app, "truck", "roads");
    expect(asked).toContain("query: cat");
    expect(asked).toContain(`passage: ${CATS.content}`);
  });

  test("is found by its words at once when it is filled for the first time", async () => {
    const { model } = embeddedModel();
    const gate = Promise.withResolvers<void>();
    const waiting: EmbeddingModel = {
      doEmbed: async (call) => {
        await gate.promise;
        return model.passages.doEmbed(call);
      },
    };
    const app = await started({ ...model, passages: waiting });
    const file = await index(app.admin, CATS);
    expect(file).toMatchObject({ status: "ready", chunks_done: 1 });
    expect(file.status_message).toMatch(/found by its words/);
    expect(await search(app, "tabby")).toContain(CATS.content);
    gate.resolve();
    await findsFirst(app, "cat", "pets");
    expect((await app.admin.get(FILES)).body[0]).not.toHaveProperty("status_message");
  });

  test("tells how many passages are found by their meaning already", async () => {
    const { model } = embeddedModel();
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let batches = 0;
    const waiting: EmbeddingModel = {
      doEmbed: async (call) => {
        await gates[batches++]?.promise;
        return model.passages.doEmbed(call);
      },
    };
    const app = await started({ ...model, passages: waiting });
    const content = Array.from({ length: 20 }, (_, at) => `# H${at}\n\nText ${at}.`).join("\n\n");
    const { id, status_message } = await index(app.admin, { name: "many.md", content });
    expect(status_message).toContain("0 of 20 passages");
    gates[0]?.resolve();
    await vi.waitFor(async () => {
      const { body } = await app.admin.get(`${FILES}/${id}`);
      expect(body.status_message).toContain("16 of 20 passages");
    });
    gates[1]?.resolve();
    await settled(app);
  });

  test("is searched by words when the embedded model does not work, and says so", async () => {
    const { model, fail } = embeddedModel();
    fail(new Error("no SIMD"));
    const app = await started(model);
    await index(app.admin, CATS);
    await vi.waitFor(async () => {
      const [file] = (await app.admin.get(FILES)).body;
      expect(file.status_message).toMatch(/embedded model does not work here/);
      expect(file.status).toBe("ready");
    });
    expect(await search(app, "tabby")).toContain(CATS.content);
  });

  test("is found by words, whatever the threshold, where a file has no vectors", async () => {
    const { model, fail } = embeddedModel();
    const app = await started(model, { similarity_threshold: 0.75 });
    await index(app.admin, CATS);
    await settled(app);
    let is_down = true;
    const doEmbed = model.passages.doEmbed;
    model.passages.doEmbed = (call) =>
      is_down ? Promise.reject(new Error("no memory")) : doEmbed(call);
    await index(app.admin, ROADS);
    is_down = false;
    expect(await search(app, "lorry")).toContain(ROADS.content);
    expect(await search(app, "tabby")).toContain(CATS.content);
    expect(await search(app, "cat")).not.toContain(ROADS.content);
    fail(new Error("no memory"));
    expect(await search(app, "tabby")).toContain(CATS.content);
  });

  test("gets the vectors that it lacks at the next start", async () => {
    const app = await started();
    await index(app.admin, CATS);
    expect(await search(app, "cat")).toMatch(/^No passage/);
    await app.engine.stop(0);
    const next = createEngine({
      store: app.store,
      version: "0.0.0-test",
      secrets: createSecretBox(new Uint8Array(32)),
      verifier: { verify: () => Promise.reject(new Error("nobody asks")) },
      issuer: undefined,
      tools: [],
      embedded_model: embeddedModel().model,
      log: quietLog,
      owner: "server",
      now: app.clock.now,
    });
    await next.start();
    await settled(app);
    const [file] = (await app.admin.get(FILES)).body;
    expect(file).not.toHaveProperty("status_message");
    expect(
      await app.store.read.knowledge_chunks.listWithoutVector(file.id, "embedded/tiny", 9),
    ).toEqual([]);
    await next.stop(0);
  });
});

describe("a knowledge base whose model is changed", () => {
  async function withModel() {
    const server = await startEmbeddingServer(MEANINGS);
    const app = await started();
    await app.admin.post("/models", {
      name: "vectors",
      type: "openai_compatible",
      kind: "embedding",
      model_name: "old",
      base_url: server.base_url,
    });
    await app.admin.patch("/knowledge-bases/manuals", { embedding_model_id: "vectors" });
    for (const file of [CATS, ROADS]) await index(app.admin, file);
    await settled(app);
    return { app, server };
  }

  test("is embedded anew, and searched with the new model from then on", async () => {
    const { app, server } = await withModel();
    const space = (await app.store.read.knowledge_bases.list())[0]?.vector_space ?? "";
    await app.admin.patch("/models/vectors", { model_name: "new" });
    await vi.waitFor(async () => {
      const [base] = await app.store.read.knowledge_bases.list();
      expect(base?.vector_space).toMatch(/^openai_compatible\/new#/);
    });
    await findsFirst(app, "cat", "pets");
    expect(server.models.at(-1)).toBe("new");
    const [file] = (await app.admin.get(FILES)).body;
    await vi.waitFor(async () => {
      const gone = await app.store.read.knowledge_chunks.listWithoutVector(file.id, space, 9);
      expect(gone).toHaveLength(1);
    });
  });

  test("is embedded anew when the same name stands for a model at another address", async () => {
    const { app } = await withModel();
    const other = await startEmbeddingServer([...MEANINGS, /nothing/]);
    await app.admin.patch("/models/vectors", { base_url: other.base_url });
    await vi.waitFor(() => expect(other.batches.flat()).toContain(ROADS.content));
    await findsFirst(app, "cat", "pets");
  });

  test("is embedded anew when the model is to give vectors of another length", async () => {
    const { app, server } = await withModel();
    const before = server.batches.length;
    await app.admin.patch("/models/vectors", { extra_body: { dimensions: 3 } });
    await vi.waitFor(() => {
      expect(server.batches.slice(before).flat()).toContain(ROADS.content);
    });
  });

  test("is searched with the old one as long as the new one has not done everything", async () => {
    const { app, server } = await withModel();
    server.fail(401, "new");
    await app.admin.patch("/models/vectors", { model_name: "new" });
    await vi.waitFor(async () => {
      const [file] = (await app.admin.get(FILES)).body;
      expect(file).toMatchObject({ status: "ready" });
      expect(file.status_message).toMatch(/found as before/);
    });
    await findsFirst(app, "cat", "pets");
    expect(server.models.at(-1)).toBe("old");
  });
});

test("a base that nothing is in yet stays one whose first files are of use at once", async () => {
  const app = await started(embeddedModel().model);
  await app.admin.post("/knowledge-bases", { name: "empty" });
  await index(app.admin, { name: "a.md", content: "# A\n\nTea." });
  const spaceOf = async (name: string) =>
    (await app.store.read.knowledge_bases.getByName(name))?.vector_space;
  await vi.waitFor(async () => expect(await spaceOf("manuals")).toBeDefined());
  expect(await spaceOf("empty")).toBeUndefined();
});
