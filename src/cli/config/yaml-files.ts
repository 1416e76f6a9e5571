import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { usageError } from "../output.ts";

const YAML_FILE = /\.ya?ml$/i;

/** The file itself, or every YAML file of a folder, sorted, so that the order never depends on the disk. */
export function filesOf(path: string): string[] {
  if (!isFolder(path)) return [path];
  const files = readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((file) => YAML_FILE.test(file) && !file.split(sep).some((part) => part.startsWith(".")))
    .sort()
    .map((file) => join(path, file));
  if (files.length === 0) throw usageError(`${path}: there is no .yaml file in this folder`);
  return files;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (cause) {
    throw usageError(`${path} is not there, or cannot be read`, { cause });
  }
}

/** Throws a usage error that names the file. */
export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw usageError(`${file} cannot be read`, { cause });
  }
}
