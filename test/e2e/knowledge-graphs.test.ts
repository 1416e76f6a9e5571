import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run, serve, temporaryFolder } from "../support/executable.ts";

const BUNDLE = `
bundle_name: depots
version: 1.2.0
schemas:
  - entity_type: depot
    expose_tools: [list, get]
    schema:
      type: object
      x-id-field: code
      properties:
        code: {type: string, pattern: "^D\\\\d+$"}
        docks: {type: integer, x-index: true}
        next: {type: string, x-ref: depot, x-index: true}
entities:
  - entity_type: depot
    items:
      - {code: D1, docks: 4, next: D2}
      - {code: D2}
`;

test("a graph is imported, read, exported and deleted, on a server and without one", async () => {
  const folder = temporaryFolder();
  const server = await serve();
  const yaml = join(folder, "depots.yaml");
  const json = join(folder, "depots.json");
  writeFileSync(yaml, BUNDLE);
  const graphs = (...args: string[]) => run(["graphs", ...args]);
  for (const where of [
    ["--data-dir", server.data_dir],
    ["--url", server.url],
  ]) {
    const imported = await graphs("import", yaml, ...where);
    expect(imported).toMatchObject({ code: 0, stdout: "" });
    expect(imported.stderr).toContain("depot: 2 added, 0 changed, 0 removed");
    expect((await graphs("import", yaml, "--no-replace", ...where)).code).toBe(1);

    const found = await graphs("list", "depots", "depot", "--filter", "docks>=4", ...where);
    expect(found.stdout).toMatch(/^CODE +DOCKS +NEXT\nD1 +4 +D2\n$/);
    const refused = await graphs("list", "depots", "depot", "--filter", "docks=x", ...where);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("docks")]);
    const shown = await graphs("get", "depots", "depot", "D2", ...where);
    expect(shown.stdout).toMatch(/Referred to by\n +depot\.next +1: D1\n/);

    expect((await graphs("export", "depots", json, ...where)).code).toBe(0);
    expect(JSON.parse(readFileSync(json, "utf8"))).toMatchObject({
      bundle_name: "depots",
      version: "1.2.0",
      entities: [{ entity_type: "depot", items: [{ code: "D1", docks: 4, next: "D2" }, {}] }],
    });
    const again = await graphs("import", json, "--json", ...where);
    expect(JSON.parse(again.stdout)).toMatchObject({
      applied: true,
      schemas: { unchanged: ["depot"] },
      entities: [{ unchanged: 2 }],
    });

    expect((await graphs("rm", "depots", "depot", "D2", ...where)).code).toBe(0);
    expect((await graphs("rm", "depots", "depot", "D2", ...where)).code).toBe(1);
    expect((await graphs("rm", "depots", ...where)).code).toBe(0);
    expect((await graphs("get", "depots", ...where)).code).toBe(1);
  }
});
