import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createSecretBox } from "#engine/kernel/secrets.ts";
import { startTestApp } from "../support/app.ts";
import { startChatApp } from "../support/chat.ts";
import { startModelServer } from "../support/model-server.ts";
import { dataLines, namedEvents, startProviderServer } from "../support/provider-server.ts";

const start = async (model: Record<string, unknown>) => {
  const app = await startTestApp();
  const admin = await app.as("admin");
  const created = await admin.post("/models", { name: "main", model_name: "m", ...model });
  expect(created.status).toBe(201);
  return { ...app, admin };
};

const verify = async (model: Record<string, unknown>) =>
  (await start(model)).admin.post("/models/main/verify");

describe("verifying a model", () => {
  test("tries whether it answers, and whether it calls a tool", async () => {
    const server = await startModelServer(
      { text: "ok" },
      { call: { tool: "report_status", input: { status: "ok" } } },
    );
    const answer = await verify({ type: "openai_compatible", base_url: server.base_url });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      connectivity: "ok",
      tool_calling: "supported",
      response_time_ms: expect.any(Number),
      model_name: "m",
      provider: "openai_compatible",
      error: null,
    });
    expect(server.requests[0]?.body).not.toHaveProperty("tools");
    expect(server.requests[1]?.body.tools).toHaveLength(1);
  });

  test.each([
    ["answers with words only", { text: "I can't." }],
    ["refuses the question", { status: 400, body: '{"error":"does not support tools"}' }],
  ])("detects no tools when the model %s", async (_what, reply) => {
    const { base_url } = await startModelServer({ text: "ok" }, reply);
    expect((await verify({ type: "openai_compatible", base_url })).body).toMatchObject({
      connectivity: "ok",
      tool_calling: "not_detected",
      error: null,
    });
  });

  test("needs only the first word of a long answer", async () => {
    const call = { tool: "report_status", input: {} };
    const { base_url } = await startModelServer({ hold: "ok then" }, { call });
    expect((await verify({ type: "openai_compatible", base_url })).body).toMatchObject({
      connectivity: "ok",
      tool_calling: "supported",
    });
  });

  test("does not ask a hosted provider for the tools that all its models have", async () => {
    const server = await startProviderServer(
      namedEvents(
        {
          type: "message_start",
          message: {
            id: "msg_1",
            type: "message",
            role: "assistant",
            model: "m",
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: { input_tokens: 1, output_tokens: 1 },
          },
        },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ok" } },
      ),
    );
    const model = { type: "anthropic", base_url: `${server.origin}/v1`, api_key: "sk-0123456789" };
    expect((await verify(model)).body).toMatchObject({
      connectivity: "ok",
      tool_calling: "skipped",
      provider: "anthropic",
    });
    expect(server.requests).toHaveLength(1);
  });

  test("runs the demo model", async () => {
    expect((await verify({ type: "demo" })).body).toMatchObject({
      connectivity: "ok",
      tool_calling: "supported",
    });
  });

  test("tells what is wrong, once and without the key", async () => {
    const server = await startModelServer({
      status: 503,
      body: "key sk-secret-0123456789 is busy",
    });
    const { status, body, text } = await verify({
      type: "openai_compatible",
      base_url: server.base_url,
      api_key: "sk-secret-0123456789",
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      connectivity: "error",
      tool_calling: "skipped",
      error: expect.stringContaining("answered 503: key [key] is busy"),
    });
    expect(text).not.toContain("sk-secret");
    expect(server.requests).toHaveLength(1);
  });

  test("tells it when nothing was said", async () => {
    const finish = { id: "1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
    const { origin } = await startProviderServer(dataLines(finish));
    expect((await verify({ type: "openai_compatible", base_url: origin })).body).toMatchObject({
      connectivity: "error",
      error: "the model answered with nothing",
    });
  });

  test("tells it when the client can't even be made", async () => {
    const { store, admin } = await start({ type: "demo", api_key: "sealed" });
    await store.write((tx) => tx.models.update(1, { type: "invented" }));
    expect((await admin.post("/models/main/verify")).body).toMatchObject({
      connectivity: "error",
      tool_calling: "skipped",
      response_time_ms: 0,
      error: 'there is no model type "invented"',
    });
    const other = createSecretBox(new Uint8Array(32).fill(1)).seal("sealed elsewhere");
    await store.write((tx) => tx.models.update(1, { type: "demo", sealed_api_key: other }));
    expect((await admin.post("/models/main/verify")).body).toMatchObject({
      connectivity: "error",
      response_time_ms: 0,
      error: expect.stringContaining("secret cannot be opened"),
    });
  });

  test("is given up after 30 seconds", async () => {
    const { admin, model } = await startChatApp();
    model.script({ text: "", hold: true });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const verifying = admin.post("/models/scripted/verify");
    await model.held();
    vi.advanceTimersByTime(30_000);
    expect((await verifying).body).toMatchObject({
      connectivity: "error",
      error: expect.stringContaining("30 seconds"),
    });
  });

  test("needs a model that is there, and the scope to change it", async () => {
    const { admin, as } = await start({ type: "demo" });
    expect((await admin.post("/models/other/verify")).status).toBe(404);
    const reader = await as(["models:read"]);
    expect((await reader.post("/models/main/verify")).status).toBe(403);
  });
});

describe("verifying an embedding model", () => {
  const vector = [0.1, 0.2, 0.3];
  const openai = JSON.stringify({
    object: "list",
    data: [{ object: "embedding", index: 0, embedding: vector }],
    model: "m",
    usage: { prompt_tokens: 1, total_tokens: 1 },
  });
  const ollama = JSON.stringify({ model: "m", embeddings: [vector], prompt_eval_count: 1 });
  const google = JSON.stringify({ embedding: { values: vector } });

  test.each([
    ["openai_compatible", openai, "/embeddings"],
    ["zai", openai, "/embeddings"],
    ["mistral", openai, "/embeddings"],
    ["azure_openai", openai, "/openai/deployments/m/embeddings?api-version=2024-10-21"],
    ["google", google, "/models/m:embedContent"],
    ["ollama", ollama, "/api/embed"],
  ])("of type %s turns a word into a vector", async (type, body, path) => {
    const headers = { "Content-Type": "application/json" };
    const server = await startProviderServer({ body, headers });
    const model = { type, kind: "embedding", base_url: server.origin, api_key: "sk-0123456789" };
    expect((await verify(model)).body).toMatchObject({
      connectivity: "ok",
      tool_calling: "skipped",
      error: null,
    });
    expect(server.requests.map((request) => request.path)).toEqual([path]);
  });

  test.each([
    ["ollama", { body: "{}" }, /no vectors/],
    ["ollama", { status: 404, body: '{"error":"model \\"m\\" not found"}' }, /ollama pull m/],
    ["openai_compatible", { status: 401, body: '{"error":{"message":"no"}}' }, /refused the key/],
  ])("of type %s tells what is wrong", async (type, reply, message) => {
    const { origin } = await startProviderServer(reply);
    const model = { type, kind: "embedding", base_url: origin, api_key: "sk-0123456789" };
    expect((await verify(model)).body).toMatchObject({
      connectivity: "error",
      error: expect.stringMatching(message),
    });
  });

  test("of a provider that has none says so", async () => {
    const model = { type: "anthropic", kind: "embedding", api_key: "sk-0123456789" };
    expect((await verify(model)).body).toMatchObject({
      connectivity: "error",
      response_time_ms: 0,
      error: 'there are no embedding models of type "anthropic"',
    });
  });
});
