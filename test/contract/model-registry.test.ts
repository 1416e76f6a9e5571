import { describe, expect, test } from "vitest";
import type { RegistryModel } from "#engine/models/registry.ts";
import { REGISTRY_MODELS, REGISTRY_PROVIDERS } from "#engine/providers/registry.data.ts";
import { startTestApp } from "../support/app.ts";

const ROLES = { 1: "orchestrator", 2: "sub_agent", 3: "utility" } as const;

describe("the registry of known models", () => {
  test("has at least 40 models with ids of their own, of known providers", () => {
    expect(REGISTRY_MODELS.length).toBeGreaterThanOrEqual(40);
    expect(new Set(REGISTRY_MODELS.map(({ id }) => id)).size).toBe(REGISTRY_MODELS.length);
    const providers = new Set(REGISTRY_PROVIDERS.map(({ id }) => id));
    expect(REGISTRY_MODELS.filter(({ provider }) => !providers.has(provider))).toEqual([]);
  });

  test.each(REGISTRY_MODELS.map((model) => [model.id, model] as const))(
    "%s is told of in a way that fits together",
    (_id, model) => {
      expect(model.recommended_for).toBe(ROLES[model.tier as keyof typeof ROLES]);
      expect(model.max_output).toBeLessThanOrEqual(model.context_window);
      expect(model.pricing_input).toBeLessThanOrEqual(model.pricing_output);
    },
  );

  test("names every provider that models can be configured for", () => {
    expect(REGISTRY_PROVIDERS.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        "openai_compatible",
        "openrouter",
        "anthropic",
        "azure_openai",
        "google",
        "deepseek",
        "mistral",
        "xai",
        "zai",
        "ollama",
      ]),
    );
  });
});

describe("GET /models/registry", () => {
  const ask = async (query: string) => {
    const { as } = await startTestApp();
    return (await as("nobody")).get(`/models/registry${query}`);
  };

  test("answers anybody with the whole list, and with the providers", async () => {
    expect(await ask("")).toMatchObject({ status: 200, body: REGISTRY_MODELS });
    expect(await ask("/providers")).toMatchObject({ status: 200, body: REGISTRY_PROVIDERS });
  });

  test.each<[string, (model: RegistryModel) => boolean]>([
    ["?provider=anthropic", ({ provider }) => provider === "anthropic"],
    ["?tier=3", ({ tier }) => tier === 3],
    ["?supports_tools=false", ({ supports_tools }) => !supports_tools],
    [
      "?provider=ollama&tier=2&supports_tools=true",
      ({ provider, tier, supports_tools }) => provider === "ollama" && tier === 2 && supports_tools,
    ],
    ["?tier=&supports_tools=&provider=", () => true],
    ["?provider=nobody", () => false],
    ["?tier=9", () => false],
  ])("%s narrows it down", async (query, fits) => {
    expect((await ask(query)).body).toEqual(REGISTRY_MODELS.filter(fits));
  });

  test.each([
    ["?tier=one", "tier: must be an integer"],
    ["?tier=1.5", "tier: must be an integer"],
    ["?supports_tools=maybe", "supports_tools: must be a boolean"],
  ])("%s is refused", async (query, message) => {
    expect(await ask(query)).toMatchObject({ status: 400, body: { message } });
  });
});
