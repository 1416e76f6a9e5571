import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const SOURCE = resolve(import.meta.dirname, "../src");
const LONGEST_FILE = 300;

/** What each layer may import: its own files, other layers by prefix, and packages by name. */
const LAYERS: Readonly<Record<string, { layers: RegExp; packages: RegExp }>> = {
  "engine/kernel": {
    layers: /^engine\/kernel\//,
    packages: /^(zod|node:crypto|node:timers\/promises)$/,
  },
  // Runs in a thread of its own; nothing else of the engine imports it.
  "engine/knowledge/extraction": {
    layers: /^engine\/(knowledge|embedding)\//,
    packages: /^(html-to-text|htmlparser2|papaparse|yaml|unpdf|mammoth|fflate)$/,
  },
  // The same.
  "engine/embedding": { layers: /^engine\/embedding\//, packages: /^node:timers/ },
  engine: {
    layers: /^engine\//,
    // undici and name resolution: where a caller's address leads is checked as the connection is made.
    packages:
      /^(zod|jose|yaml|@ai-sdk\/|@modelcontextprotocol\/client$|eventsource-parser|ipaddr\.js$|ajv(\/|$)|re2js$|undici$|node:(crypto|async_hooks|timers|dns\/promises$|net$))/,
  },
  store: {
    layers: /^(store\/|engine\/kernel\/(error|give-way)\.ts$)/,
    packages: /^(drizzle-orm|better-sqlite3|sqlite-vec|node:)/,
  },
  server: {
    layers: /^(server|engine)\//,
    packages:
      /^(hono|@hono\/|@fastify\/busboy$|zod$|node:|prom-client$|@modelcontextprotocol\/sdk)/,
  },
  "cli/chat": { layers: /^(cli|engine)\//, packages: /./ },
  cli: {
    layers: /^(cli|engine|server|store)\//,
    packages: /^(?!ink|react|hono|drizzle|better-sqlite3|sqlite-vec)/,
  },
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly type_only: boolean;
}

const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
  .map((file) => file.replaceAll("\\", "/"));

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SOURCE, file), "utf8");
  const found = text.matchAll(
    /^(?:import|export)\s+(type\s+)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"|\bimport\("([^"]+)"\)/gm,
  );
  return [...found].map(([, type, named, lazy]) => ({
    from: file,
    to: target(file, named ?? lazy ?? ""),
    type_only: type !== undefined,
  }));
}

function target(file: string, specifier: string): string {
  if (specifier.startsWith("#")) return specifier.slice(1);
  if (!specifier.startsWith(".")) return specifier;
  return relative(SOURCE, resolve(SOURCE, dirname(file), specifier)).replaceAll("\\", "/");
}

const layerOf = (file: string): string =>
  Object.keys(LAYERS).find((layer) => file.startsWith(`${layer}/`)) ?? "";
const isOurs = (path: string): boolean => /^(cli|server|engine|store)\//.test(path);
const imports = files.flatMap(importsOf);

describe("the architecture", () => {
  test.each(Object.keys(LAYERS))("%s imports only what it may", (layer) => {
    const rules = LAYERS[layer];
    const forbidden = imports
      .filter(({ from }) => layerOf(from) === layer)
      .filter(({ to, type_only }) => {
        if (!isOurs(to)) return !rules?.packages.test(to);
        // The store implements the engine's ports, so it may know their types.
        return !(
          rules?.layers.test(to) ||
          (layer === "store" && type_only && to.startsWith("engine/"))
        );
      })
      .map(({ from, to }) => `${from} -> ${to}`);
    expect(forbidden).toEqual([]);
  });

  test("only the composition root knows the store", () => {
    const others = imports
      .filter(({ from, to }) => from.startsWith("cli/") && to.startsWith("store/"))
      .map(({ from }) => from);
    expect(new Set(others)).toEqual(new Set(["cli/compose.ts"]));
  });

  test("a feature's operations do not import another feature's", () => {
    const crossing = imports.filter(
      ({ from, to }) => from.endsWith("/operations.ts") && to.endsWith("/operations.ts"),
    );
    expect(crossing.filter(({ from }) => !from.startsWith("engine/config/"))).toEqual([]);
  });

  test("the engine and the server do not look at the process", () => {
    const readers = files.filter(
      (file) =>
        /^(engine|server|store)\//.test(file) &&
        /\bprocess\.(env|argv|exit|cwd)\b/.test(readFileSync(join(SOURCE, file), "utf8")),
    );
    expect(readers).toEqual([]);
  });

  test("nothing crosses a layer by a relative path", () => {
    const sideways = imports.filter(
      ({ from, to }) =>
        isOurs(to) &&
        from.split("/")[0] !== to.split("/")[0] &&
        !readFileSync(join(SOURCE, from), "utf8").includes(`"#${to}"`),
    );
    expect(sideways).toEqual([]);
  });

  test(`no file has more than ${LONGEST_FILE} lines`, () => {
    const long = files
      .filter((file) => !file.includes("/migrations") && !file.endsWith(".data.ts"))
      .filter((file) => readFileSync(join(SOURCE, file), "utf8").split("\n").length > LONGEST_FILE);
    expect(long).toEqual([]);
  });
});
