import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

/** The user that everything private must belong to; undefined where files have no such owner. */
export const OWN_USER = process.getuid?.();

/**
 * Makes folders inside one that exists or can be made, each inside the one before and each for this
 * user alone. Throws when one of them is a link or somebody else's.
 */
export function privateFolder(parent: string, ...names: readonly string[]): string {
  makeLevels(requireAbsolute(parent));
  return names.reduce((folder, name) => {
    const inner = join(folder, name);
    makePrivate(inner);
    return inner;
  }, parent);
}

/** A new folder whose name nobody can take first. */
export const unguessableFolder = (parent: string): string =>
  mkdtempSync(join(requireAbsolute(parent), "troupe-"));

/** Else it would be in whatever folder the program happens to be started from. */
function requireAbsolute(folder: string): string {
  if (!isAbsolute(folder)) throw new Error(`"${folder}" is not an absolute path`);
  return folder;
}

/** Level by level: a recursive mkdir can spin for ever under odd parents. */
function makeLevels(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeLevels(dirname(folder));
  makeFolder(folder);
}

function makePrivate(folder: string): void {
  makeFolder(folder);
  requirePrivate(folder);
}

/** Another process may make it at the same moment. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!lstatSync(folder, { throwIfNoEntry: false })) throw error;
  }
}

/** Whoever else could write here could make this process load anything. */
function requirePrivate(folder: string): void {
  const stats = lstatSync(folder);
  if (stats.isSymbolicLink()) throw new Error(`${folder} is a symbolic link`);
  if (!stats.isDirectory()) throw new Error(`${folder} is not a folder`);
  if (OWN_USER === undefined) return;
  if (stats.uid !== OWN_USER) throw new Error(`${folder} belongs to another user`);
  if (isOpen(stats)) chmodSync(folder, 0o700);
  // Some file systems keep no modes.
  if (isOpen(lstatSync(folder))) throw new Error(`${folder} is open to other users`);
}

const isOpen = ({ mode }: Stats): boolean => (mode & 0o077) !== 0;
