import fc from "fast-check";
import { expect, test } from "vitest";
import { readDocument } from "./document.ts";
import { compareStates, planChanges } from "./plan.ts";
import { renderYaml } from "./render.ts";
import type { Item, SectionKey, State } from "./section.ts";
import { SECTIONS } from "./sections.ts";
import { toDocument } from "./to-document.ts";

const options = { variables: {}, is_strict: true };

/** Whatever people and programs put into texts: other scripts, controls, YAML's own signs, variables. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc
    .array(
      fc.constantFrom(
        ..."\n|\r\n|\t| |  |#|: |- |'|\"|${HOME}|$${X}|$|{|}|yes|null|~|1e3|---|...|&a|*a|<<|%|@|`|>|\\|\u0085|\u2028|\uFEFF|\u0007|word|日本|🙂".split(
          "|",
        ),
        "|",
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join("")),
);

const json = fc.dictionary(
  text.filter((key) => key !== "__proto__"),
  fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text, { maxLength: 3 })),
  { maxKeys: 4 },
);

const NAMES = ["alpha", "beta-2", "gamma", "no", "on", "n", "y"];
const names = fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: NAMES.length });

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const agentFields = fc.record({
  system_prompt: text,
  lifecycle: fc.constantFrom("persistent", "spawn"),
  tool_execution: fc.constantFrom("sequential", "parallel"),
  tools: fc.array(fc.stringMatching(/^[a-z_]{1,12}$/), { maxLength: 3 }),
  confirm_before: fc.array(fc.stringMatching(/^[a-z_]{1,12}$/), { maxLength: 3 }),
  max_steps: fc.integer({ min: 1, max: 500 }),
  max_context_size: fc.constantFrom(0, 1_000, 16_000, 128_000),
  temperature: optional(fc.double({ min: 0, max: 2, noNaN: true })),
  max_tokens: optional(fc.integer({ min: 1, max: 10_000 })),
  stop_sequences: fc.array(
    text.filter((stop) => stop !== ""),
    { maxLength: 2 },
  ),
});

/** A document's plain form: what any of its layouts comes to. */
const documents = fc
  .tuple(
    names,
    names,
    json,
    fc.array(agentFields, { minLength: 7, maxLength: 7 }),
    fc.array(text, { minLength: 7, maxLength: 7 }),
  )
  .map(([agents, schemas, extra_body, fields, descriptions]) => ({
    models: [{ name: "main", type: "demo", model_name: "demo", extra_body }],
    agents: agents.map((name, at) => ({ name, model_name: "main", ...fields[at] })),
    schemas: schemas.map((name, at) => ({
      name,
      description: descriptions[at],
      chat_enabled: at % 2 === 0,
      entry_agent: agents[at % agents.length],
      relations: agents.slice(1).map((to) => ({ from: agents[0], to })),
    })),
  }));

const empty = Object.fromEntries(SECTIONS.map(({ key }) => [key, new Map()])) as unknown as State;

/** What a text comes to on an empty installation. */
async function stateOf(document: string): Promise<State> {
  const read = await readDocument([{ text: document }], options);
  const plan = await planChanges(empty, read, { prune: false });
  expect([...read.problems, ...plan.problems]).toEqual([]);
  return plan.next;
}

const rendered = async (state: State): Promise<string> => renderYaml(await toDocument(state));

/** `$` before a variable is written twice, as the author of a document would. */
const written = (document: unknown): string =>
  JSON.stringify(document).replace(/\$+\{\w+\}/g, "$$$&");

test("a document that is exported, read and exported again has the same bytes", async () => {
  await fc.assert(
    fc.asyncProperty(documents, async (document) => {
      const state = await stateOf(written(document));
      const first = await rendered(state);

      const again = await stateOf(first);

      expect(await rendered(again)).toBe(first);
      expect(await compareStates(state, again)).toEqual([]);
      for (const { name, system_prompt } of document.agents) {
        const kept = (again.agents.get(name) as Item).entry.system_prompt ?? "";
        expect(kept).toBe(system_prompt);
      }
    }),
    { numRuns: 100 },
  );
});

test("the order of a document's entries is nothing that an export shows", async () => {
  await fc.assert(
    fc.asyncProperty(documents, async (document) => {
      const turned = Object.fromEntries(
        Object.entries(document).map(([key, entries]) => [key, [...entries].reverse()]),
      );
      expect(await rendered(await stateOf(written(turned)))).toBe(
        await rendered(await stateOf(written(document))),
      );
    }),
    { numRuns: 30 },
  );
});

test("every section is empty where nothing is", async () => {
  const keys: SectionKey[] = SECTIONS.map(({ key }) => key);
  const state = await stateOf(await rendered(empty));
  expect(keys.map((key) => state[key].size)).toEqual(keys.map(() => 0));
});
