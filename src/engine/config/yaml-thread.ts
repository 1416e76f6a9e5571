import { renderYaml, type YamlDocument } from "./render.ts";
import { type ParsedYaml, parseYaml } from "./yaml.ts";

/** Takes a task to a thread that can do `yamlTasks`. */
export type RunInThread = (task: keyof typeof yamlTasks, input: unknown) => Promise<unknown>;

interface YamlText {
  readonly text: string;
  readonly file: string | undefined;
}

/** What a thread does for the two functions below. */
export const yamlTasks = {
  parse_yaml: async (input: unknown): Promise<ParsedYaml> => {
    const { text, file } = input as YamlText;
    return parseYaml(text, file);
  },
  render_yaml: async (input: unknown): Promise<string> => renderYaml(input as YamlDocument),
};

/** A text of this length is read before a thread would have been woken. */
const SHORT_CHARACTERS = 16_384;

/** Reads a long text in a thread, where there is one. */
export async function parseInThread(
  run: RunInThread | undefined,
  { text, file }: YamlText,
): Promise<ParsedYaml> {
  if (!run || text.length <= SHORT_CHARACTERS) return parseYaml(text, file);
  return (await run("parse_yaml", { text, file })) as ParsedYaml;
}

/** Writes a document in a thread, where there is one. */
export const renderInThread = async (
  run: RunInThread | undefined,
  document: YamlDocument,
): Promise<string> =>
  run ? ((await run("render_yaml", document)) as string) : renderYaml(document);
