import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { documentSchema } from "./document-schema.ts";

const validate = new Ajv2020({ strict: false }).compile(documentSchema());

describe("the published schema of documents", () => {
  test.each([
    ["nothing", ""],
    ["lists", "agents: [{name: a, system_prompt: x, model_name: m, tools: [t]}]"],
    [
      "maps and aliases",
      "models: {m: {provider: demo, model: demo}}\nagents: {a: {system: x, model: m}}",
    ],
    ["an empty entry", "agents: {a: }"],
    [
      "variables where addresses are",
      'models: {m: {type: ollama, model_name: x, base_url: "${URL}"}}',
    ],
    ["a prompt in a file", "agents: {a: {system_file: a.md}}"],
    ["settings of the server beside it", "engine: {port: 1}\nagents: []"],
    ["anchors", "x-a: &a {max_steps: 1}\nagents: {a: *a}"],
    [
      "a tool in an editions' form",
      "tools: {t: {endpoint: GET https://a.example, params: {q: {type: string}}, auth: {type: bearer, token_env: T}}}",
    ],
  ])("takes %s", (_what, text) => {
    validate(parse(text));
    expect(validate.errors ?? []).toEqual([]);
  });

  test.each([
    ["a field with a typo", "agents: {a: {sytem: x}}"],
    ["a section with a typo", "agnets: []"],
    ["a wrong type", "agents: {a: {max_steps: many}}"],
    ["a value that is not allowed", "agents: {a: {lifecycle: sometimes}}"],
    ["an entry of a list without a name", "agents: [{system: x}]"],
  ])("refuses %s", (_what, text) => {
    expect(validate(parse(text))).toBe(false);
  });
});
