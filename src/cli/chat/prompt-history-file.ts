import { appendFile, chmod, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { PromptHistory } from "./chat-session.ts";
import { parsePrompts, promptLine } from "./prompt-history.ts";

const PRIVATE_FILE = 0o600;
const PRIVATE_DIRECTORY = 0o700;

/** A missing or unreadable file is an empty history: no chat should fail for it. */
export async function loadHistory(path: string): Promise<readonly string[]> {
  return parsePrompts(await readFile(path, "utf8").catch(() => ""));
}

/** Prompts are private: nobody else on the machine may read them. */
export async function appendHistory(path: string, prompt: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: PRIVATE_DIRECTORY });
  await appendFile(path, promptLine(prompt), { mode: PRIVATE_FILE });
  await chmod(path, PRIVATE_FILE);
}

/** The history of a file, ready for the chat. */
export const openHistory = async (path: string): Promise<PromptHistory> => ({
  entries: await loadHistory(path),
  remember: (prompt) => appendHistory(path, prompt).catch(() => undefined),
});
