import { describe, expect, test } from "vitest";
import { startTestApp } from "../support/app.ts";

const model = {
  name: "main",
  type: "openai_compatible",
  model_name: "large",
  base_url: "http://127.0.0.1:9/v1",
};
const start = async () => {
  const app = await startTestApp();
  return { ...app, admin: await app.as("admin") };
};

describe("a model", () => {
  test("is created with an integer id and never shows its key", async () => {
    const { admin, store } = await start();
    const { status, body, text } = await admin.post("/models", {
      ...model,
      api_key: "sk-secret-123",
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: 1,
      name: "main",
      type: "openai_compatible",
      kind: "chat",
      base_url: "http://127.0.0.1:9/v1",
      model_name: "large",
      has_api_key: true,
      is_default: true,
      created_at: "2026-03-01T12:00:00Z",
    });
    expect(text + (await admin.get("/models")).text).not.toContain("sk-secret");
    expect(JSON.stringify(await store.read.models.list())).not.toContain("sk-secret");
  });

  test("keeps its key unless a new one is sent", async () => {
    const { admin, store } = await start();
    await admin.post("/models", { ...model, api_key: "sk-secret-123" });
    const before = (await store.read.models.get(1))?.sealed_api_key;
    await admin.patch("/models/main", { api_key: "" });
    await admin.put("/models/main", {
      type: "openai_compatible",
      kind: "chat",
      model_name: "larger",
      base_url: model.base_url,
    });
    expect((await store.read.models.get(1))?.sealed_api_key).toBe(before);
    await admin.patch("/models/main", { api_key: "sk-other" });
    expect((await store.read.models.get(1))?.sealed_api_key).not.toBe(before);
  });

  test("does not take its key to another address with somebody who could not read it", async () => {
    const { as, admin, store } = await start();
    await admin.post("/models", { ...model, api_key: "sk-secret-123" });
    const { name, ...fields } = model;
    const elsewhere = "https://elsewhere.example/v1";
    for (const scopes of [["models:write"], ["provision"], ["manage"]]) {
      const token = await as(scopes);
      const moves = [
        await token.patch("/models/main", { base_url: elsewhere }),
        await token.patch("/models/main", { base_url: "http://127.0.0.1:9/other", api_key: "" }),
        await token.patch("/models/main", { type: "anthropic" }),
        await token.put("/models/main", { ...fields, kind: "chat", base_url: elsewhere }),
      ];
      expect(moves.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
      expect(moves[0]?.body.message).toContain("send the key anew");
    }
    const document = `models: [{name: main, type: openai_compatible, model_name: large, base_url: "${elsewhere}"}]`;
    expect((await (await as(["config"])).post("/config/import", document)).status).toBe(403);
    expect((await store.read.models.get(1))?.base_url).toBe(model.base_url);

    const token = await as(["models:write"]);
    const same = { base_url: `${model.base_url}/`, model_name: "larger" };
    expect((await token.patch("/models/main", same)).status).toBe(200);
    const anew = { base_url: elsewhere, api_key: "sk-other" };
    expect((await token.patch("/models/main", anew)).status).toBe(200);
    expect((await admin.patch("/models/main", { base_url: model.base_url })).status).toBe(200);
  });

  test("of the aggregator type is stored as the generic one with its address", async () => {
    const { admin } = await start();
    expect(
      await admin.post("/models", { name: "a", type: "openrouter", model_name: "m" }),
    ).toMatchObject({ status: 400 });
    const { body } = await admin.post("/models", {
      name: "a",
      type: "openrouter",
      model_name: "m",
      api_key: "k",
    });
    expect(body).toMatchObject({
      type: "openai_compatible",
      base_url: "https://openrouter.ai/api/v1",
    });
  });

  test.each([
    ["anthropic", "https://api.anthropic.com/v1"],
    ["google", "https://generativelanguage.googleapis.com/v1beta"],
    ["deepseek", "https://api.deepseek.com/v1"],
    ["mistral", "https://api.mistral.ai/v1"],
    ["xai", "https://api.x.ai/v1"],
    ["zai", "https://open.bigmodel.cn/api/paas/v4"],
    ["ollama", "http://127.0.0.1:11434"],
  ])("of type %s has its provider's address unless it names one", async (type, base_url) => {
    const { admin } = await start();
    const { body } = await admin.post("/models", { name: "a", type, model_name: "m" });
    expect(body).toMatchObject({ type, base_url });
    const own = { name: "b", type, model_name: "m", base_url: "https://models.example/v1" };
    expect((await admin.post("/models", own)).body).toMatchObject({ base_url: own.base_url });
  });

  test("in Azure needs an address and a key, and keeps the version of its interface", async () => {
    const { admin } = await start();
    const azure = { name: "a", type: "azure_openai", model_name: "m", api_version: "2025-01-01" };
    const base_url = "https://one.openai.azure.com";
    expect((await admin.post("/models", { ...azure, base_url })).status).toBe(400);
    expect((await admin.post("/models", { ...azure, api_key: "k" })).status).toBe(400);
    expect((await admin.post("/models", { ...azure, base_url, api_key: "k" })).body).toMatchObject({
      api_version: "2025-01-01",
    });
  });

  test("keeps an address of its own while other fields change, and leaves it for another type", async () => {
    const { admin } = await start();
    const base_url = "http://10.0.0.7:11434";
    await admin.post("/models", { name: "a", type: "ollama", model_name: "m", base_url });
    const change = async (fields: object) => (await admin.patch("/models/a", fields)).body.base_url;
    expect(await change({ model_name: "other" })).toBe(base_url);
    expect(await change({ type: "ollama" })).toBe(base_url);
    expect(await change({ type: "mistral" })).toBe("https://api.mistral.ai/v1");
    expect(await change({ base_url })).toBe(base_url);
    expect(await change({ base_url: "" })).toBe("https://api.mistral.ai/v1");
    expect((await admin.patch("/models/a", { type: "openai_compatible" })).status).toBe(400);
  });

  test("that is the first chat model is the default, and the default can move but not vanish", async () => {
    const { admin } = await start();
    await admin.post("/models", model);
    await admin.post("/models", { ...model, name: "other" });
    const defaults = async () =>
      (await admin.get("/models")).body
        .filter((one: { is_default: boolean }) => one.is_default)
        .map((one: { name: string }) => one.name);
    expect(await defaults()).toEqual(["main"]);
    await admin.patch("/models/other", { is_default: true });
    expect(await defaults()).toEqual(["other"]);
    expect((await admin.patch("/models/other", { is_default: false })).status).toBe(400);
  });

  test("that turns into one for embeddings is the default no more, and the other way round", async () => {
    const { admin } = await start();
    await admin.post("/models", model);
    const kind = async (to: string) => (await admin.patch("/models/main", { kind: to })).body;
    expect(await kind("embedding")).toMatchObject({ kind: "embedding", is_default: false });
    expect((await admin.post("/agents", { name: "a" })).status).toBe(400);
    expect(await kind("chat")).toMatchObject({ kind: "chat", is_default: true });
    expect((await admin.post("/agents", { name: "a" })).body.model).toBe("main");
    expect((await admin.patch("/models/main", { kind: "embedding" })).status).toBe(409);
  });

  test("is reached by its id where clients keep that, and keeps its key through empty ones", async () => {
    const { admin } = await start();
    const { id } = (await admin.post("/models", { ...model, api_key: "k" })).body;
    for (const api_key of ["", null]) {
      const { body } = await admin.patch(`/models/${id}`, { api_key, rename: "other" });
      expect(body).toMatchObject({ id, name: "main", has_api_key: true });
    }
    expect((await admin.delete(`/models/${id}`)).status).toBe(204);
    for (const method of ["put", "patch", "delete"] as const) {
      const body = method === "delete" ? undefined : { ...model, name: undefined, kind: "chat" };
      expect((await admin[method]("/models/main", body)).status).toBe(404);
    }
    expect((await admin.post("/models/main/verify")).status).toBe(404);
  });

  test("changes only in the supplied fields by PATCH, and is cleared by PUT", async () => {
    const { admin } = await start();
    await admin.post("/models", { ...model, extra_body: { seed: 7 } });
    expect((await admin.patch("/models/main", { model_name: "small" })).body).toMatchObject({
      model_name: "small",
      extra_body: { seed: 7 },
    });
    const replaced = await admin.put("/models/main", {
      type: "openai_compatible",
      kind: "chat",
      model_name: "small",
      base_url: model.base_url,
    });
    expect(replaced.body).not.toHaveProperty("extra_body");
    expect((await admin.put("/models/main", { type: "ollama", kind: "chat" })).status).toBe(400);
  });

  test("can be renamed when the name is free, and its agents follow", async () => {
    const { admin } = await start();
    await admin.post("/models", model);
    await admin.post("/models", { ...model, name: "taken" });
    await admin.post("/agents", { name: "helper", model: "main" });
    expect((await admin.patch("/models/main", { name: "taken" })).status).toBe(409);
    expect((await admin.patch("/models/main", { name: "renamed" })).body.name).toBe("renamed");
    expect((await admin.get("/agents/helper")).body).toMatchObject({
      model: "renamed",
      model_id: 1,
    });
  });

  test("that agents use can't be deleted, and the answer names them", async () => {
    const { admin } = await start();
    await admin.post("/models", model);
    await admin.post("/agents", { name: "helper" });
    expect(await admin.delete("/models/main")).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining("helper") },
    });
    await admin.delete("/agents/helper");
    expect((await admin.delete("/models/main")).status).toBe(204);
    expect((await admin.get("/models")).body).toEqual([]);
    expect((await admin.delete("/models/main")).status).toBe(404);
  });

  test("is listed by kind", async () => {
    const { admin } = await start();
    await admin.post("/models", model);
    await admin.post("/models", { ...model, name: "vectors", kind: "embedding" });
    expect((await admin.get("/models?kind=embedding")).body).toMatchObject([
      { name: "vectors", is_default: false },
    ]);
    expect((await admin.get("/models?kind=image")).status).toBe(400);
  });
});

describe("creating a model is refused", () => {
  test.each([
    ["without a name", { ...model, name: undefined }, 400, "name: is required"],
    ["with a malformed name", { ...model, name: "My Model" }, 400, "name:"],
    ["with a reserved name", { ...model, name: "agents" }, 400, "reserved"],
    [
      "with a name like a UUID",
      { ...model, name: "44444444-4444-4444-8444-444444444444" },
      400,
      "UUID",
    ],
    ["with too long a name", { ...model, name: "a".repeat(101) }, 400, "100"],
    ["without a model name", { ...model, model_name: undefined }, 400, "model_name: is required"],
    ["with an invented type", { ...model, type: "acme" }, 400, 'type: "acme"'],
    ["with a type for overrides only", { ...model, type: "openai" }, 400, 'type: "openai"'],
    ["with a prototype's type", { ...model, type: "constructor" }, 400, "type:"],
    [
      "without the address it needs",
      { ...model, base_url: undefined },
      400,
      "base_url: is required",
    ],
    ["with an address that is none", { ...model, base_url: "localhost:9" }, 400, "base_url:"],
    ["with a file address", { ...model, base_url: "file:///etc/passwd" }, 400, "base_url:"],
    ["twice", { ...model, name: "there" }, 409, "already exists"],
  ])("%s", async (_what, body, status, message) => {
    const { admin, store } = await start();
    await admin.post("/models", { ...model, name: "there" });
    const answer = await admin.post("/models", body);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(message);
    expect(await store.read.models.list()).toHaveLength(1);
  });
});
