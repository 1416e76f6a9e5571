import type { EngineError, ErrorCode } from "#engine/kernel/error.ts";

/** Exit codes (docs/command-line.md); those above 128 are what a shell calls SIGINT and SIGPIPE. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130, unread: 141 } as const;

const EXIT_CODES: Partial<Readonly<Record<ErrorCode, number>>> = { bad_request: EXIT.usage };

/** How a command that ran to its end tells that it did not succeed. */
export type SetExitCode = (code: number) => void;

export const exitCodeOf = ({ code }: EngineError): number => EXIT_CODES[code] ?? EXIT.failed;

export const printJson = (value: unknown): boolean => print(JSON.stringify(value, undefined, 2));

export const print = (text: string): boolean => process.stdout.write(`${text}\n`);

/** For people: what a script reads from standard output stays clean. */
export const note = (text: string): boolean => process.stderr.write(`${text}\n`);
