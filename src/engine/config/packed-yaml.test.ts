import { expect, test } from "vitest";
import { packYaml, unpackYaml } from "./packed-yaml.ts";
import type { Path } from "./problem.ts";
import { parseYaml } from "./yaml.ts";

const TEXT = `
x-shared: &shared {a: 1, "7": [x, {deep: true}]}
agents:
  - name: one
    tools: [t, u]
  - name: two
    settings:
      <<: *shared
      b: *shared
nothing:
`;

const PATHS: Path[] = [
  [],
  ["x-shared", "7", 1, "deep"],
  ["agents", 0],
  ["agents", 1, "name"],
  ["agents", 0, "tools", 1],
  ["agents", 1, "settings", "a"],
  ["agents", 1, "settings", "7", 1, "deep"],
  ["agents", 1, "settings", "b", "a"],
  ["agents", 1, "unknown", "field"],
  ["agents", 7],
  ["nothing", "at", "all"],
];

test("a text that came from another thread says the same, and everything of it stands where it stood", () => {
  const parsed = parseYaml(TEXT, "f.yaml");
  const unpacked = unpackYaml(structuredClone(packYaml(parsed)), "f.yaml");
  expect(unpacked.value).toEqual(parsed.value);
  expect(PATHS.map(unpacked.placeOf)).toEqual(PATHS.map(parsed.placeOf));
});

test("what is wrong with a text is told as it was found", () => {
  const parsed = parseYaml("a: [1\nb: {", "f.yaml");
  const unpacked = unpackYaml(structuredClone(packYaml(parsed)), "f.yaml");
  expect(parsed.problems).not.toEqual([]);
  expect(unpacked).toMatchObject({ value: undefined, problems: parsed.problems });
  expect(unpacked.placeOf(["a"])).toEqual(parsed.placeOf(["a"]));
});
