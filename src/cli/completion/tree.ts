import type { Command, Option } from "commander";

/** What may stand behind a command, as its help has it. */
export interface CompletionNode {
  /** The words before it, joined by spaces; empty for the program itself. */
  readonly path: string;
  /** The commands that may follow, or what an argument may be. */
  readonly words: readonly Described[];
  readonly flags: readonly Flag[];
}

export interface Described {
  readonly word: string;
  readonly description: string;
}

export interface Flag extends Described {
  /** What its value may be; none when it has none, or when it is free. */
  readonly choices: readonly string[];
  readonly takes_value: boolean;
}

/** Every command below this one, itself first. */
export function completionNodes(command: Command, path: readonly string[] = []): CompletionNode[] {
  const below = command.commands.filter((one) => one.name() !== "help");
  const node: CompletionNode = {
    path: path.join(" "),
    words: [
      ...below.map((one) => ({ word: one.name(), description: firstLine(one.description()) })),
      ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
        argChoices.map((word) => ({ word, description: firstLine(description) })),
      ),
    ],
    flags: command.createHelp().visibleOptions(command).flatMap(flagsOf),
  };
  return [node, ...below.flatMap((one) => completionNodes(one, [...path, one.name()]))];
}

/** An option has a long name, a short one, or both. */
const flagsOf = ({ long, short, description, argChoices, required, optional }: Option): Flag[] =>
  [long, short].flatMap((word) =>
    word
      ? [
          {
            word,
            description: firstLine(description),
            choices: argChoices ?? [],
            takes_value: required || optional,
          },
        ]
      : [],
  );

const firstLine = (text: string): string => text.split("\n")[0] ?? "";
