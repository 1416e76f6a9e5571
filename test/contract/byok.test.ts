import { APICallError } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import type { EngineDependencies } from "#engine/create-services.ts";
import { createChatModel } from "#engine/providers/create.ts";
import type { ModelConnection } from "#engine/providers/provider.ts";
import type { Logger } from "#engine/services.ts";
import type { Caller } from "../support/app.ts";
import { startChatApp } from "../support/chat.ts";
import { startModelServer } from "../support/model-server.ts";
import { type Step, scriptedModel } from "../support/scripted-model.ts";
import { addColleague, ask, read } from "../support/turns.ts";

const KEY = "sk-visitor-0123456789abcdef";
const OWN = { "X-Model-Provider": "anthropic", "X-Model-API-Key": KEY };
const CHAT = "/schemas/support/chat";
const HOUR_S = 3_600;

/** Every provider is allowed unless said otherwise; what clients were built from is recorded. */
async function withOwnModels(
  steps: Step[] = [{ text: "Hi." }],
  allowed?: string,
  overrides: Partial<EngineDependencies> = {},
) {
  const seen: ModelConnection[] = [];
  const logged: unknown[][] = [];
  const write = (...line: unknown[]) => void logged.push(line);
  const log: Logger = { info: write, warn: write, error: write };
  const model = scriptedModel(...steps);
  const createScripted = async (connection: ModelConnection) => {
    seen.push(connection);
    return model.create(connection);
  };
  const app = await startChatApp([], {}, { createChatModel: createScripted, log, ...overrides });
  await app.admin.put("/settings/byok.enabled", { value: "true" });
  const providers = allowed ?? "openai,anthropic,openrouter,openai_compatible,ollama";
  await app.admin.put("/settings/byok.allowed_providers", { value: providers });
  return { ...app, model, seen, logged };
}

const send = (caller: Caller, headers: Record<string, string>, body: object = {}) =>
  caller.open(CHAT, { message: "hi", ...body }, headers);

describe("a caller's own model", () => {
  test("answers the turn instead of the agent's", async () => {
    const { admin, seen } = await withOwnModels();
    const { one } = await read(await send(admin, { ...OWN, "X-Model-Name": "claude" }));
    expect(one("message").content).toBe("Hi.");
    expect(seen).toMatchObject([{ type: "anthropic", api_key: KEY, model_name: "claude" }]);
  });

  test("keeps the name of the agent's model when it names none", async () => {
    const { admin, seen } = await withOwnModels();
    await read(await send(admin, OWN));
    expect(seen).toMatchObject([{ type: "anthropic", model_name: "demo" }]);
  });

  test("is named by the other edition's headers, too, and the specification's win", async () => {
    const { admin, seen, model } = await withOwnModels();
    const other = {
      "X-BYOK-Provider": "ollama",
      "X-BYOK-API-Key": "other-key",
      "X-BYOK-Model": "other",
      "X-BYOK-Base-URL": "https://models.example.com/",
    };
    await read(await send(admin, other));
    model.script({ text: "Hi." });
    await read(await send(admin, { ...other, "X-Model-Name": "newer" }));
    expect(seen).toMatchObject([
      {
        type: "ollama",
        api_key: "other-key",
        model_name: "other",
        base_url: "https://models.example.com",
      },
      { model_name: "newer" },
    ]);
  });

  test("is used by the turn's sub-agents, and by no other turn", async () => {
    const app = await withOwnModels([]);
    await addColleague(app, "clerk");
    const calls = [{ id: "s1", tool: "spawn_clerk", input: { description: "x" } }];
    app.model.script({ calls }, { text: "Filed." }, { text: "Done." }, { text: "Hi." });
    const { session_id } = await read(await send(app.admin, OWN));
    await ask(app.admin, { message: "again", session_id });
    expect(app.seen.map(({ type, api_key }) => [type, api_key])).toEqual([
      ["anthropic", KEY],
      ["anthropic", KEY],
      ["demo", undefined],
    ]);
  });

  test.each([
    ["openai", "https://api.openai.com/v1"],
    ["OpenRouter", "https://openrouter.ai/api/v1"],
    ["ANTHROPIC", "https://api.anthropic.com/v1"],
  ])("of %s is asked at its own address, wherever the agent's model is", async (name, base_url) => {
    const { admin, seen } = await withOwnModels();
    // Somebody else's server that speaks the same protocol must not get the key.
    for (const type of ["openai_compatible", "anthropic"]) {
      const relay = { type, base_url: "https://relay.example.com/v1" };
      await admin.post("/models", { name: `relay-${type.slice(0, 6)}`, model_name: "m", ...relay });
      await admin.patch("/agents/helper", { model: `relay-${type.slice(0, 6)}` });
      await read(await send(admin, { ...OWN, "X-Model-Provider": name }));
      expect(seen.at(-1)).toMatchObject({ type: name.toLowerCase(), base_url });
    }
  });

  test.each(["openai_compatible", "ollama"])(
    "of %s is asked at the address of the agent's model unless it names a public one",
    async (type) => {
      const { admin, seen, model } = await withOwnModels();
      const local = { type, model_name: "m", base_url: "http://127.0.0.1:9999/v1" };
      await admin.post("/models", { name: "local", ...local });
      await admin.patch("/agents/helper", { model: "local" });
      const own = { ...OWN, "X-Model-Provider": type };
      await read(await send(admin, own));
      model.script({ text: "Hi." });
      await read(await send(admin, { ...own, "X-BYOK-Base-URL": "https://models.example.com/v1" }));
      expect(seen).toMatchObject([
        { type, base_url: "http://127.0.0.1:9999/v1", model_name: "m", api_key: KEY },
        { type, base_url: "https://models.example.com/v1", model_name: "m", api_key: KEY },
      ]);
    },
  );

  test("is not counted by usage limits, but by the totals", async () => {
    const { admin, model } = await withOwnModels([{ text: "Hi." }, { text: "Hi." }]);
    const limit = { scope: "tenant", unit: "turns", limit_value: 1, interval_seconds: HOUR_S };
    await admin.put("/admin/usage-limits", limit);
    await read(await send(admin, OWN));
    await ask(admin, { message: "on the house" });
    expect((await admin.post(CHAT, { message: "hi" })).status).toBe(402);
    model.script({ text: "Hi." });
    expect((await read(await send(admin, OWN))).one("message").content).toBe("Hi.");
    const { metrics } = (await admin.get("/usage")).body;
    expect(metrics).toContainEqual(expect.objectContaining({ name: "turns", used: 3 }));
  });

  test("works in a collected answer", async () => {
    const { admin, seen } = await withOwnModels();
    const response = await send(admin, OWN, { stream: false });
    expect(await response.json()).toMatchObject({ message: "Hi." });
    expect(seen).toMatchObject([{ api_key: KEY }]);
  });

  test("leaves its key nowhere: neither in the log nor in what is stored or answered", async () => {
    const refusal = new APICallError({
      message: "bad key",
      url: "https://api.anthropic.com/v1/messages",
      requestBodyValues: {},
      statusCode: 401,
      responseBody: JSON.stringify({ error: { message: `invalid key ${KEY} (sk-visit…)` } }),
      isRetryable: false,
    });
    const { admin, logged, store } = await withOwnModels([{ fail: refusal }]);
    const response = await send(admin, { ...OWN, "Idempotency-Key": "k" });
    const session_id = response.headers.get("X-Session-Id") ?? "";
    const text = await response.text();
    expect(text).toContain("refused the key");
    const places = [
      text,
      JSON.stringify([...response.headers]),
      (await admin.get(`/sessions/${session_id}`)).text,
      (await admin.get(`/sessions/${session_id}/messages`)).text,
      (await admin.get("/audit/tool-calls")).text,
      (await admin.get("/settings")).text,
      JSON.stringify(await store.read.events.list(session_id)),
      JSON.stringify(await store.read.jobs.listClaimable(Number.MAX_SAFE_INTEGER, 10)),
      JSON.stringify(logged, (_key, value) => (value instanceof Error ? String(value) : value)),
    ];
    for (const place of places) {
      expect(place).not.toContain(KEY);
      expect(place).not.toContain("sk-visitor");
    }
    expect(logged).not.toEqual([]);
  });
});

describe("an address that a caller names", () => {
  const at = (url: string, provider: string) => ({
    ...OWN,
    "X-Model-Provider": provider,
    "X-Model-Name": "m",
    "X-BYOK-Base-URL": url,
  });

  test.each(["openai_compatible", "ollama"])(
    "does not lead %s into this server's network, whatever its name says",
    async (provider) => {
      const resolveHost = async () => [{ address: "127.0.0.1", family: 4 }];
      const app = await withOwnModels([], undefined, { createChatModel, resolveHost });
      const server = await startModelServer({ text: "from inside" });
      const { port } = new URL(server.base_url);
      const own = at(`http://127.0.0.1.nip.io:${port}/v1`, provider);
      const { one } = await read(await send(app.admin, own));
      expect(one("error")).toMatchObject({
        code: "bad_request",
        message: expect.stringContaining("must be a public"),
      });
      expect(server.requests).toEqual([]);
    },
  );

  test("is free to be private where an administrator configured it", async () => {
    const resolveHost = () => Promise.reject(new Error("was asked"));
    const app = await withOwnModels([], undefined, { createChatModel, resolveHost });
    const server = await startModelServer({ text: "Hi." });
    const local = { type: "openai_compatible", model_name: "m", base_url: server.base_url };
    await app.admin.post("/models", { name: "local", ...local });
    await app.admin.patch("/agents/helper", { model: "local" });
    const own = { ...OWN, "X-Model-Provider": "openai_compatible" };
    expect((await read(await send(app.admin, own))).one("message").content).toBe("Hi.");
    expect(server.requests).toMatchObject([{ headers: { authorization: `Bearer ${KEY}` } }]);
  });
});

describe("a caller's own model is refused", () => {
  const own = (more: object) => ({ ...OWN, ...more });
  const at = (url: string, provider = "openai_compatible") =>
    own({ "X-Model-Provider": provider, "X-BYOK-Base-URL": url });

  test.each([
    ["without a provider", { "X-Model-API-Key": KEY }, 400, "X-Model-Provider"],
    ["without a key", { "X-Model-Provider": "anthropic" }, 400, "X-Model-API-Key"],
    ["with a model alone", { "X-Model-Name": "m" }, 400, "X-Model-Provider"],
    ["with an empty key", own({ "X-Model-API-Key": "" }), 400, "X-Model-API-Key"],
    ["of an unknown provider", own({ "X-Model-Provider": "acme" }), 403, "allowed_providers"],
    ["at an address of a pinned provider", at("https://a.example.com", "openai"), 400, "Base-URL"],
    ["at one of another", at("https://a.example.com", "openrouter"), 400, "Base-URL"],
    ["at one of a third", at("https://a.example.com", "anthropic"), 400, "Base-URL"],
    ["at loopback", at("http://127.0.0.1:1"), 400, "public"],
    ["at a local name", at("http://localhost:1"), 400, "public"],
    ["at a private address", at("http://10.0.0.1"), 400, "public"],
    ["at the metadata service", at("http://169.254.169.254/latest"), 400, "public"],
    ["at an address in disguise", at("http://2130706433/"), 400, "public"],
    ["at loopback of IPv6", at("http://[::1]/"), 400, "public"],
    ["at a file", at("file:///etc/passwd"), 400, "public"],
    ["at nonsense", at("nonsense"), 400, "public"],
  ])("%s", async (_what, headers, status, told) => {
    const { admin, store, seen } = await withOwnModels();
    const response = await send(admin, headers as Record<string, string>);
    expect(response.status).toBe(status);
    const text = await response.text();
    expect(text).toContain(told);
    expect(text).not.toContain(KEY);
    expect(seen).toEqual([]);
    expect(await store.read.sessions.count({})).toBe(0);
  });

  test.each([
    ["", "anthropic", 403],
    ["[]", "anthropic", 403],
    ["openai", "anthropic", 403],
    ["openai, Anthropic", "anthropic", 200],
    ['["anthropic"]', "Anthropic", 200],
  ])("or taken by the setting %j", async (allowed, provider, status) => {
    const { admin } = await withOwnModels([{ text: "Hi." }], allowed);
    const response = await send(admin, { ...OWN, "X-Model-Provider": provider });
    expect(response.status).toBe(status);
    await response.text();
  });

  test("while it is switched off, whatever else is wrong with it", async () => {
    const { admin } = await withOwnModels();
    await admin.put("/settings/byok.enabled", { value: "false" });
    const response = await send(admin, { "X-Model-Name": "m" });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("byok.enabled");
  });

  test("is off from the start", async () => {
    const { admin } = await startChatApp([{ text: "Hi." }]);
    expect((await send(admin, OWN)).status).toBe(403);
    expect((await ask(admin, { message: "hi" })).one("message").content).toBe("Hi.");
  });

  test("in its turn, when neither it nor the agent's model has an address", async () => {
    const { admin, seen } = await withOwnModels();
    const response = await send(admin, own({ "X-Model-Provider": "openai_compatible" }));
    expect((await read(response)).one("error").message).toContain("X-BYOK-Base-URL");
    expect(seen).toEqual([]);
  });
});
