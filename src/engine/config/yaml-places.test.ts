import { expect, test } from "vitest";
import type { Path } from "./problem.ts";
import { parseYaml } from "./yaml.ts";
import { placeFinder } from "./yaml-places.ts";

const TEXT = `x-shared: &shared {a: 1, "7": [x, {deep: true}]}
agents:
  - name: one
    tools: [t, u]
  - name: two
    settings:
      <<: *shared
      b: *shared
      a: own
nothing:
`;

test.each<[what: string, path: Path, line: number, column: number]>([
  ["the whole", [], 1, 1],
  ["a key", ["agents"], 2, 1],
  ["an item of a list", ["agents", 1], 5, 5],
  ["an item in one line", ["agents", 0, "tools", 1], 4, 16],
  ["a key that is a number", ["x-shared", "7", 1, "deep"], 1, 36],
  ["what is merged in", ["agents", 1, "settings", "7", 1, "deep"], 1, 36],
  ["what is said beside a merge", ["agents", 1, "settings", "a"], 9, 7],
  ["an alias", ["agents", 1, "settings", "b"], 8, 7],
  ["what an alias stands for", ["agents", 1, "settings", "b", "a"], 1, 20],
  ["a field that is not there", ["agents", 1, "unknown", "field"], 5, 5],
  ["an item that is not there", ["agents", 7], 2, 1],
  ["what would be within nothing", ["nothing", "at", "all"], 10, 1],
])(
  "tells the place of %s, also of a text that another thread read",
  (_what, path, line, column) => {
    const placeOf = placeFinder(structuredClone(parseYaml(TEXT, "f.yaml")), "f.yaml");
    expect(placeOf(path)).toEqual({ file: "f.yaml", line, column });
  },
);

test("a text with something wrong stands at its beginning", () => {
  const parsed = parseYaml("a: [1\nb: {", "f.yaml");
  expect(parsed).toMatchObject({ value: undefined, problems: [{ level: "error" }, {}] });
  expect(placeFinder(parsed, "f.yaml")(["a"])).toEqual({ file: "f.yaml", line: 1, column: 1 });
});
