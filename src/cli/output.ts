import { badRequest, type EngineError, type ErrorDetails } from "#engine/kernel/error.ts";

/** Exit codes (docs/command-line.md); those above 128 are what a shell calls SIGINT and SIGPIPE. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  asked: 3,
  interrupted: 130,
  unread: 141,
} as const;

/** How a command that ran to its end tells that it did not succeed. */
export type SetExitCode = (code: number) => void;

interface UsageError extends EngineError {
  readonly exit_code: typeof EXIT.usage;
}

/**
 * What was typed, or set for the command, can't be. Only the command line itself says so: what an
 * engine or a server refuses may as well be due to its state, and is a failure.
 */
export const usageError = (message: string, details?: ErrorDetails): UsageError =>
  Object.assign(badRequest(message, details), { exit_code: EXIT.usage });

export const exitCodeOf = (error: EngineError | UsageError): number =>
  "exit_code" in error ? error.exit_code : EXIT.failed;

export const printJson = (value: unknown): boolean => print(JSON.stringify(value, undefined, 2));

export const print = (text: string): boolean => process.stdout.write(`${text}\n`);

/** For people: what a script reads from standard output stays clean. */
export const note = (text: string): boolean => process.stderr.write(`${text}\n`);
