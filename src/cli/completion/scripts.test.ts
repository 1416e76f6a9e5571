import { execFileSync } from "node:child_process";
import { Argument, Command, Option } from "commander";
import { describe, expect, test } from "vitest";
import { completionScript } from "./scripts.ts";
import { completionNodes } from "./tree.ts";

function program(): Command {
  const play = new Command("play").description("Plays. It's loud: mind the neighbours");
  const tasks = play.command("tasks").description("What is to do");
  tasks.command("create").option("-t, --title <text>", "what it is called");
  tasks
    .command("list")
    .addOption(new Option("--status <status>", "only these").choices(["open", "done"]));
  play.command("tune").addArgument(new Argument("<key>", "which key").choices(["c", "g"]));
  return play;
}

const nodes = completionNodes(program());

/** What the last of the words becomes where bash completes it. */
function completed(...words: string[]): string[] {
  const script = `${completionScript.bash("play", nodes)}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _play; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const text = execFileSync("bash", ["-c", script, "bash", "play", ...words], { encoding: "utf8" });
  return text.split("\n").filter((line) => line !== "");
}

describe("completion in bash", () => {
  test.each([
    ["commands", ["t"], ["tasks", "tune"]],
    ["commands of a command", ["tasks", ""], ["create", "list"]],
    ["options once a dash is typed", ["tasks", "create", "-"], ["--title", "-t", "--help", "-h"]],
    ["the values of an option", ["tasks", "list", "--status", ""], ["open", "done"]],
    ["the values of an argument", ["tune", ""], ["c", "g"]],
    ["nothing where a file or a name stands", ["tasks", "create", ""], []],
  ])("gives %s", (_, words, expected) => {
    expect(completed(...words)).toEqual(expected);
  });
});

test("every shell's script has every command, flag and value, with what it is for", () => {
  for (const shell of ["zsh", "fish"] as const) {
    const script = completionScript[shell]("play", nodes);
    for (const word of ["create", "What is to do", "title", "what it is called", "open", "tune"])
      expect(script).toContain(word);
  }
});
