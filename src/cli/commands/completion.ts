import { Argument, Command } from "commander";
import { completionScript, SHELLS, type Shell } from "../completion/scripts.ts";
import { completionNodes } from "../completion/tree.ts";

const HOW = `
How to install it:
  bash   troupe completion bash > ~/.local/share/bash-completion/completions/troupe
         (make the folder first; it needs the package bash-completion), or in ~/.bashrc:
         source <(troupe completion bash)
  zsh    in ~/.zshrc, behind compinit:  source <(troupe completion zsh)
  fish   troupe completion fish > ~/.config/fish/completions/troupe.fish

It counts from the next shell on. After an update of troupe, files are written anew.`;

/** `whole` gives the program with all its commands: the scripts are made of what their help says. */
export const completionCommand = (whole: () => Promise<Command>): Command =>
  new Command("completion")
    .description("Print the script that completes troupe's commands and options in a shell")
    .addArgument(new Argument("<shell>", "which shell").choices(SHELLS))
    .addHelpText("after", HOW)
    .action(async (shell: Shell) => {
      const program = await whole();
      process.stdout.write(completionScript[shell](program.name(), completionNodes(program)));
    });
