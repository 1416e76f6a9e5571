import { homedir } from "node:os";
import { join } from "node:path";

/** Where programs keep what they can make again, as the user or the system says. */
export function userCache(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  return XDG_CACHE_HOME || LOCALAPPDATA || join(homedir(), ".cache");
}
