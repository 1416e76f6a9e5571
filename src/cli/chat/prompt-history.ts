/** Older prompts are forgotten. */
const MAX_PROMPTS = 1000;
/** Whole files that were pasted are not worth a place. */
const MAX_PROMPT_CHARACTERS = 100_000;

/** The history with one more prompt; the same one twice in a row is kept once. */
export function withPrompt(history: readonly string[], prompt: string): readonly string[] {
  const is_kept = prompt.trim() !== "" && prompt.length <= MAX_PROMPT_CHARACTERS;
  if (!is_kept || history.at(-1) === prompt) return history;
  return [...history, prompt].slice(-MAX_PROMPTS);
}

/** One JSON text a line, since a prompt may have several lines. */
export const promptLine = (prompt: string): string => `${JSON.stringify(prompt)}\n`;

/** Lines that are damaged, as a crash may leave them, are passed over. */
export const parsePrompts = (file: string): readonly string[] =>
  file.split("\n").flatMap(parsePrompt).reduce<readonly string[]>(withPrompt, []);

function parsePrompt(line: string): string[] {
  try {
    const prompt: unknown = JSON.parse(line);
    return typeof prompt === "string" ? [prompt] : [];
  } catch {
    return [];
  }
}
