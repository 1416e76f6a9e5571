import { Command, CommanderError } from "commander";
import { toEngineError } from "#engine/kernel/error.ts";
import { version } from "./assets.ts";
import { EXIT, exitCodeOf, note } from "./output.ts";

const EXAMPLES = `
Examples:
  troupe serve --demo                       serve, with a schema to try offline
  troupe chat demo                          chat with it in this terminal
  troupe chat demo -m "What is a schema?"   ask once, for scripts
  troupe tokens create --name app --scope chat`;

/** Runs one command; returns the process's exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  try {
    const program = await createProgram(argv[2]);
    await program.parseAsync([...argv]);
    return typeof process.exitCode === "number" ? process.exitCode : EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const failure = toEngineError(error);
    note(`troupe: ${failure.message}`);
    if (failure.code === "internal") note(String(failure.cause instanceof Error ? failure.cause.message : failure.cause));
    return exitCodeOf(failure);
  }
}

/** The command tree: one line a command, each loaded only when it may be the one that is meant. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import("./commands/serve.ts")).serveCommand(),
  chat: async () => (await import("./commands/chat.ts")).chatCommand(),
  tokens: async () => (await import("./commands/tokens.ts")).tokensCommand(),
  doctor: async () => (await import("./commands/doctor.ts")).doctorCommand(),
  openapi: async () => (await import("./commands/openapi.ts")).openapiCommand(),
};

async function createProgram(named: string | undefined): Promise<Command> {
  const program = new Command("troupe")
    .description("Hosts AI agents from one executable file.")
    .version(version, "-V, --version")
    .addHelpText("after", EXAMPLES)
    .showHelpAfterError("(add --help for what there is)")
    .exitOverride();
  const one = named === undefined ? undefined : COMMANDS[named];
  const commands = one ? [await one()] : await Promise.all(Object.values(COMMANDS).map((load) => load()));
  for (const command of commands) program.addCommand(withExit(command));
  return program;
}

/** Subcommands report wrong usage the same way, instead of ending the process. */
function withExit(command: Command): Command {
  command.exitOverride();
  command.commands.forEach(withExit);
  return command;
}
