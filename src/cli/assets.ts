import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { getAsset, getAssetKeys, isSea } from "node:sea";

/** Set by the build; from source, package.json tells. */
declare const TROUPE_VERSION: string | undefined;

export const version: string =
  typeof TROUPE_VERSION === "string"
    ? TROUPE_VERSION
    : (JSON.parse(readFileSync(join(checkout(), "package.json"), "utf8")) as { version: string })
        .version;

/** Whether this is the single executable, which carries its files inside. */
export const isExecutable = isSea();

/** A file that comes with the product, by its path in the checkout. Throws when there is none. */
export const readAsset = (name: string): Uint8Array =>
  isExecutable ? new Uint8Array(getAsset(name)) : readFileSync(join(checkout(), name));

/** Whether this build carries such a file. */
export const hasAsset = (name: string): boolean =>
  isExecutable ? getAssetKeys().includes(name) : existsSync(join(checkout(), name));

export const readTextAsset = (name: string): string =>
  Buffer.from(readAsset(name)).toString("utf8");

/** The names of the Markdown files of a folder, in order. */
export const listPages = (folder: string): string[] => {
  const names = isExecutable
    ? getAssetKeys().filter((name) => name.startsWith(`${folder}/`))
    : readdirSync(join(checkout(), folder)).map((name) => `${folder}/${name}`);
  return names.filter((name) => name.endsWith(".md")).sort();
};

/** This module is in dist/troupe.js or dist/chunks/ after a build, and src/cli/assets.ts before. */
function checkout(): string {
  const here = import.meta.dirname;
  return basename(here) === "dist" ? join(here, "..") : join(here, "../..");
}
