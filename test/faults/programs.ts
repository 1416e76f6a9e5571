import { createLauncher } from "#cli/programs/launcher.ts";

/** Starts programs and does nothing more: `node programs.js COUNT SCRIPT ARGUMENTS…`. */
const [, , count, ...args] = process.argv;
const launch = createLauncher(process.env);
const quiet = {
  onOutput: () => undefined,
  onErrorOutput: () => undefined,
  onExit: () => undefined,
};
const program = { command: process.execPath, args, env: {} };
await Promise.all(Array.from({ length: Number(count) }, () => launch(program, quiet)));
process.stdout.write("started\n");
setInterval(() => undefined, 1_000);
