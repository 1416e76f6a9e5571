/**
 * `node build.config.ts` bundles the program into dist/troupe.js and its chunks; with `--package` it also
 * makes the single executable dist/troupe. The only list of native files and assets.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import sea from "@yao-pkg/pkg/lib-es5/sea.js";
import { type BuildOptions, build } from "esbuild";
import { writeEmbeddingModel } from "./scripts/embedding-model.ts";
import { installedNativeFiles, NATIVE_ASSETS } from "./src/store/sqlite/native.ts";

const NODE_MAJOR = 26;
const ROOT = import.meta.dirname;
const DIST = join(ROOT, "dist");
const PROGRAM = join(DIST, "troupe.js");
const EXECUTABLE_START = join(DIST, "executable.js");
/** By name in bin: what runs in threads. */
const THREADS = ["worker", "reader"];
const EXECUTABLE = join(DIST, process.platform === "win32" ? "troupe.exe" : "troupe");

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  version: string;
};

if (!process.version.startsWith(`v${NODE_MAJOR}.`)) {
  console.error(
    `This needs Node ${NODE_MAJOR}, which the project brings along: use \`npm run build\`.`,
  );
  process.exit(1);
}

const common: BuildOptions = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: `node${NODE_MAJOR}`,
  minifySyntax: true,
  minifyWhitespace: true,
  // A crash prints the line it happened in: that must not be the whole program.
  lineLimit: 160,
  legalComments: "none",
  logLevel: "warning",
  define: { TROUPE_VERSION: JSON.stringify(version), "process.env.NODE_ENV": '"production"' },
  // Packages in CommonJS ask for `require`, which a module does not have.
  banner: {
    js: 'import { createRequire as bannerRequire } from "node:module"; const require = bannerRequire(process.execPath);',
  },
  // Ink asks for it only while it is developed.
  alias: { "react-devtools-core": "./scripts/empty.ts" },
};

async function bundle(): Promise<void> {
  rmSync(DIST, { recursive: true, force: true });
  mkdirSync(DIST);
  await build({
    ...common,
    entryPoints: { troupe: join(ROOT, "bin/app.ts") },
    outdir: DIST,
    // What a command does not need is not read, compiled or kept in memory.
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
  });
  const threads = THREADS.map((name) => join(ROOT, `bin/${name}.ts`));
  await build({ ...common, entryPoints: threads, outdir: DIST });
  await build({
    ...common,
    entryPoints: [join(ROOT, "bin/executable.ts")],
    outfile: EXECUTABLE_START,
    banner: {},
  });
  if (!(await writeEmbeddingModel(join(DIST, "embedding"))))
    console.error("without the package of the embedding model, search will go by words alone");
}

/** By name: what the executable carries besides the program. */
function assets(): Record<string, string> {
  const native = installedNativeFiles(import.meta.url);
  const files = [
    "README.md",
    ...globSync("docs/*.md", { cwd: ROOT }),
    ...globSync("assets/**/*.{md,html,css,js}", { cwd: ROOT }),
    ...THREADS.map((name) => `dist/${name}.js`),
    "dist/troupe.js",
    ...globSync("dist/chunks/*.js", { cwd: ROOT }),
    ...globSync("dist/embedding/*", { cwd: ROOT }),
  ];
  return {
    [NATIVE_ASSETS.addon]: native.addon,
    [NATIVE_ASSETS.vector]: native.vector,
    ...Object.fromEntries(files.map((file) => [file.replaceAll("\\", "/"), join(ROOT, file)])),
  };
}

/**
 * The program and the pinned runtime in one file, for this platform: native files belong to one
 * platform. Through pkg's plain single-executable function, which is not among its
 * documented entries; `node --build-sea` with the same configuration makes the same file.
 */
async function packageExecutable(): Promise<void> {
  const runtime = strippedRuntime();
  const seaConfig = {
    mainFormat: "module",
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    // Flags belong to the program, and NODE_OPTIONS to nobody.
    execArgvExtension: "none",
    assets: assets(),
  };
  const platform =
    { darwin: "macos", win32: "win" }[process.platform as string] ?? process.platform;
  const target = {
    nodeRange: `node${NODE_MAJOR}`,
    platform,
    arch: process.arch,
    output: EXECUTABLE,
  };
  const makeExecutable = (sea as unknown as { default: PlainSea }).default;
  await makeExecutable(EXECUTABLE_START, {
    nodePath: runtime,
    seaConfig,
    signature: true,
    targets: [target],
  });
  chmodSync(EXECUTABLE, 0o755);
  rmSync(runtime);
}

type PlainSea = (program: string, options: object) => Promise<void>;

/** Symbols are a fifth of the runtime. They must go before anything is added: later breaks the file. */
function strippedRuntime(): string {
  const runtime = join(DIST, "runtime");
  copyFileSync(process.execPath, runtime);
  if (process.platform === "win32") return runtime;
  try {
    const flags = process.platform === "darwin" ? ["-x"] : ["--strip-all"];
    execFileSync("strip", [...flags, runtime]);
  } catch {
    console.error("`strip` is not there, so the executable will be larger than it needs to be");
  }
  return runtime;
}

await bundle();
if (process.argv.includes("--package")) await packageExecutable();
if (!existsSync(PROGRAM)) process.exitCode = 1;
