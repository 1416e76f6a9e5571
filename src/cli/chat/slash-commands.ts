export interface SlashCommand {
  readonly name: string;
  readonly argument?: string;
  readonly summary: string;
}

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  { name: "help", summary: "what you can type here" },
  { name: "answer", summary: "answer what was asked, after esc" },
  { name: "new", summary: "begin a new session" },
  { name: "sessions", summary: "list your sessions" },
  {
    name: "resume",
    argument: "ID",
    summary: "go on with a session; the start of its id is enough",
  },
  { name: "schemas", summary: "list the schemas you can chat with" },
  { name: "copy", summary: "put the last answer into the clipboard" },
  { name: "export", argument: "FILE", summary: "write this session into a file, as markdown" },
  { name: "details", summary: "show or hide what tools were given and gave" },
  { name: "quit", summary: "leave; the session is kept" },
];

/** A slash and a word: a path such as `/etc/hosts` is an ordinary message. */
const COMMAND = /^\/([a-z]*)(?:\s+(\S.*?))?\s*$/;

export type ParsedInput =
  | { readonly type: "message"; readonly text: string }
  | { readonly type: "command"; readonly name: string; readonly argument: string }
  | { readonly type: "unknown"; readonly hint: string };

export function parseInput(text: string): ParsedInput {
  const match = COMMAND.exec(text.trim());
  if (!match) return { type: "message", text };
  const [, name = "", argument = ""] = match;
  if (SLASH_COMMANDS.some((command) => command.name === name))
    return { type: "command", name, argument };
  const similar = matchingCommands(`/${name.slice(0, 2)}`).map((command) => `/${command.name}`);
  const hint =
    similar.length > 0 && name !== ""
      ? `did you mean ${similar.join(" or ")}?`
      : "/help lists the commands";
  return { type: "unknown", hint: `There is no command /${name}: ${hint}` };
}

/** The commands that begin like what was typed; none once an argument is being typed. */
export function matchingCommands(value: string): readonly SlashCommand[] {
  if (!/^\/[a-z]*$/.test(value)) return [];
  return SLASH_COMMANDS.filter(({ name }) => name.startsWith(value.slice(1)));
}

export const HELP = [
  ...SLASH_COMMANDS.map(
    ({ name, argument, summary }) =>
      `${`/${name}${argument ? ` ${argument}` : ""}`.padEnd(14)}${summary}`,
  ),
  "",
  "enter         send; while an answer is written, it waits for its turn",
  "ctrl+j, \\     new line (also shift+enter or alt+enter)",
  "up, down      earlier messages",
  "ctrl+r        search the earlier messages",
  "esc           stop the answer; what was written is kept",
  "ctrl+g        answer what was asked, after esc; esc leaves it again",
  "ctrl+o        details of tool calls",
  "ctrl+l        clear the screen",
  "ctrl+c        clear the line, twice to quit; ctrl+d quits too",
].join("\n");
