/**
 * Where the single executable begins. Node can start only one module of it, so this one teaches Node to
 * read the others from the assets: each is read and compiled when something imports it, not before.
 */
import { createRequire, enableCompileCache, registerHooks } from "node:module";
import { getAsset } from "node:sea";
import { userCache } from "#cli/user-cache.ts";
import { privateFolder } from "#store/sqlite/private-folder.ts";

const SCHEME = "troupe:";
const START = `${SCHEME}start`;
const PROGRAM = `${SCHEME}///dist/troupe.js`;

keepCompiled();

registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith(SCHEME)) return { url: specifier, shortCircuit: true };
    if (specifier.startsWith(".") && context.parentURL?.startsWith(SCHEME))
      return { url: new URL(specifier, context.parentURL).href, shortCircuit: true };
    return next(specifier, context);
  },
  load(url, context, next) {
    if (url === START)
      return {
        format: "commonjs",
        source: "exports.start = (program) => import(program);",
        shortCircuit: true,
      };
    if (!url.startsWith(SCHEME)) return next(url, context);
    const source = getAsset(url.slice(`${SCHEME}///`.length), "utf8");
    return { format: "module", source, shortCircuit: true };
  },
});

// The first module may import nothing but what Node brings along: another one does it in its place.
const { start } = createRequire(process.execPath)(START) as {
  start: (program: string) => Promise<unknown>;
};
await start(PROGRAM);

/** The next start is faster by what this one compiles, where a folder is nobody's but this user's. */
function keepCompiled(): void {
  try {
    enableCompileCache(privateFolder(userCache(), "troupe", "compiled"));
  } catch {
    // Then every start compiles anew.
  }
}
