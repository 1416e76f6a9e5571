import type { CompletionNode, Described, Flag } from "./tree.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** The script that teaches a shell the program's commands. */
export const completionScript: Readonly<
  Record<Shell, (name: string, nodes: readonly CompletionNode[]) => string>
> = { bash, zsh, fish };

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const paths = (nodes: readonly CompletionNode[]): string =>
  nodes.flatMap(({ path }) => (path === "" ? [] : [quoted(` ${path}`)])).join("|");

/** The arms of a shell's `case` over what was typed: before a flag's value, and elsewhere. */
const arms = (nodes: readonly CompletionNode[], list: (found: readonly Described[]) => string) => ({
  values: nodes
    .flatMap(({ path, flags }) => flags.filter(hasChoices).map((flag) => ({ path, flag })))
    .map(({ path, flag: { word, choices } }) => {
      const found = choices.map((choice) => ({ word: choice, description: "" }));
      return `    ${quoted(`${place(path)} ${word}`)}) found=${list(found)} ;;`;
    })
    .join("\n"),
  words: nodes
    .map(
      ({ path, words, flags }) =>
        `    ${quoted(place(path))}) found=${list(words)} flags=${list(flags)} ;;`,
    )
    .join("\n"),
});

const place = (path: string): string => path && ` ${path}`;

const hasChoices = ({ choices }: Flag): boolean => choices.length > 0;

/** Flags are offered once a dash is typed: what stands at most places is a file, or a name of the user's. */
function bash(name: string, nodes: readonly CompletionNode[]): string {
  const { values, words } = arms(nodes, (found) => quoted(found.map(({ word }) => word).join(" ")));
  return `_${name}() {
  local path= found= flags= word current="\${COMP_WORDS[COMP_CWORD]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
    ${paths(nodes)}) path="$path $word" ;;
    esac
  done
  case "$path" in
${words}
  esac
  case "$path \${COMP_WORDS[COMP_CWORD-1]}" in
${values}
  esac
  [[ $current == -* ]] && found=$flags
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}
complete -o default -F _${name} ${name}
`;
}

function zsh(name: string, nodes: readonly CompletionNode[]): string {
  const item = ({ word, description }: Described) =>
    quoted(description ? `${word.replaceAll(":", "\\:")}:${description}` : word);
  const { values, words } = arms(nodes, (found) => `(${found.map(item).join(" ")})`);
  return `#compdef ${name}
_${name}() {
  local at= word
  local -a found flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
    ${paths(nodes)}) at="$at $word" ;;
    esac
  done
  case "$at" in
${words}
  esac
  case "$at $words[CURRENT-1]" in
${values}
  esac
  [[ $words[CURRENT] == -* ]] && found=("\${(@)flags}")
  _describe ${name} found || _files
}
compdef _${name} ${name}
`;
}

function fish(name: string, nodes: readonly CompletionNode[]): string {
  const lines = nodes.flatMap(({ path, words, flags }) => {
    const here = `complete -c ${name} -n ${quoted(`__${name}_at ${quoted(path)}`)}`;
    return [
      ...words.map(
        ({ word, description }) => `${here} -f -a ${quoted(word)} -d ${quoted(description)}`,
      ),
      ...flags.map((flag) => `${here} ${fishFlag(flag)} -d ${quoted(flag.description)}`),
    ];
  });
  const known = nodes.flatMap(({ path }) => (path === "" ? [] : [quoted(path)])).join(" ");
  return `function __${name}_at
  set -l at
  for word in (commandline -opc)[2..-1]
    contains -- "$at$word" ${known}; and set at "$at$word "
  end
  test (string trim -- "$at") = "$argv[1]"
end
${lines.join("\n")}
`;
}

const fishFlag = ({ word, choices, takes_value }: Flag): string => {
  const named = word.startsWith("--") ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`;
  if (choices.length > 0) return `${named} -x -a ${quoted(choices.join(" "))}`;
  return takes_value ? `${named} -r` : named;
};
