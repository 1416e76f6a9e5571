/** A program to run: no shell reads it, and its environment is what is given here and little more. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface ProgramListener {
  onOutput(chunk: Uint8Array): void;
  /** What it tells people, in pieces as they come. */
  onErrorOutput(text: string): void;
  /** Once, with how it ended. */
  onExit(how: string): void;
}

export interface RunningProgram {
  /** Resolves when the program's input took it. Rejects when it takes no more. */
  send(text: string): Promise<void>;
  /** Ends it with everything it started; resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

/** Runs a program. Rejects when it cannot be started. What it starts ends with this process, however that ends. */
export type LaunchProgram = (
  program: Program,
  listener: ProgramListener,
) => Promise<RunningProgram>;
