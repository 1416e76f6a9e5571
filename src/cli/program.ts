import { Command, CommanderError } from "commander";
import { toEngineError } from "#engine/kernel/error.ts";
import { version } from "./assets.ts";
import { EXIT, exitCodeOf, note, type SetExitCode } from "./output.ts";

const EXAMPLES = `
Examples:
  troupe serve --demo                       serve, with a schema to try offline
  troupe chat demo                          chat with it in this terminal
  troupe chat demo -m "Where is my data?"   ask once, for scripts
  troupe tokens create --name app --scope chat
  troupe tasks create "Sum it up" --agent helper --background --wait

troupe COMMAND --help explains a command; its options come after it. The demo answers questions about troupe from
the documentation.`;

/** Runs one command; returns the process's exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  let code: number = EXIT.done;
  try {
    const exit = (given: number) => {
      code = given;
    };
    const program = await createProgram(argv[2], exit);
    await program.parseAsync([...argv]);
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const failure = toEngineError(error);
    note(`troupe: ${failure.message}`);
    if (failure.code === "internal")
      note(String(failure.cause instanceof Error ? failure.cause.message : failure.cause));
    return exitCodeOf(failure);
  }
}

/** The command tree: one line a command, each loaded only when it may be the one that is meant. */
const COMMANDS: Readonly<Record<string, (exit: SetExitCode) => Promise<Command>>> = {
  serve: async () => (await import("./commands/serve.ts")).serveCommand(),
  chat: async (exit) => (await import("./commands/chat.ts")).chatCommand(exit),
  sessions: async () => (await import("./commands/sessions.ts")).sessionsCommand(),
  tokens: async () => (await import("./commands/tokens.ts")).tokensCommand(),
  tasks: async (exit) => (await import("./commands/tasks.ts")).tasksCommand(exit),
  config: async (exit) => (await import("./commands/config.ts")).configCommand(exit),
  knowledge: async (exit) => (await import("./commands/knowledge.ts")).knowledgeCommand(exit),
  graphs: async () => (await import("./commands/graphs.ts")).graphsCommand(),
  mcp: async (exit) => (await import("./commands/mcp.ts")).mcpCommand(exit),
  setup: async () => (await import("./commands/setup.ts")).setupCommand(),
  oauth: async () => (await import("./commands/oauth.ts")).oauthCommand(),
  backup: async () => (await import("./commands/backup.ts")).backupCommand(),
  doctor: async (exit) => (await import("./commands/doctor.ts")).doctorCommand(exit),
  completion: async (exit) =>
    (await import("./commands/completion.ts")).completionCommand(() =>
      createProgram(undefined, exit),
    ),
  openapi: async (exit) => (await import("./commands/openapi.ts")).openapiCommand(exit),
};

async function createProgram(named: string | undefined, exit: SetExitCode): Promise<Command> {
  const program = new Command("troupe")
    .description("Hosts AI agents from one executable file.")
    .version(version, "-V, --version")
    .addHelpText("after", EXAMPLES)
    .showHelpAfterError("(--help tells what there is; options come after the command)")
    .exitOverride();
  for (const load of meant(named)) program.addCommand(withExit(await load(exit)));
  return program;
}

/** Only the help of the whole needs every command. */
function meant(named: string | undefined) {
  if (named === "--version" || named === "-V") return [];
  const one = named !== undefined && Object.hasOwn(COMMANDS, named) ? COMMANDS[named] : undefined;
  return one ? [one] : Object.values(COMMANDS);
}

/** Subcommands report wrong usage the same way, instead of ending the process. */
function withExit(command: Command): Command {
  command.exitOverride();
  command.commands.forEach(withExit);
  return command;
}
