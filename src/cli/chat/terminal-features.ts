import type { PaintOptions } from "./paint.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

interface Stream {
  readonly isTTY?: boolean | undefined;
}

/** Whether the chat can draw: both ends are a terminal, and it is one that can move its cursor. */
export function canDraw(stdin: Stream, stdout: Stream, environment: Environment): boolean {
  const { TERM } = environment;
  return Boolean(stdin.isTTY) && Boolean(stdout.isTTY) && TERM !== "dumb";
}

/** `FORCE_COLOR` wins over `NO_COLOR`, as in the runtime itself. */
export function paintOptionsOf(environment: Environment): PaintOptions {
  const { TERM, NO_COLOR, FORCE_COLOR } = environment;
  const links = TERM !== "linux" && TERM !== "dumb";
  if (FORCE_COLOR !== undefined) {
    return { colour: FORCE_COLOR !== "0" && FORCE_COLOR !== "false", links };
  }
  return { colour: (NO_COLOR ?? "") === "" && TERM !== "dumb", links };
}

/** A terminal that cuts long rows when it gets narrower, instead of breaking them. */
export function cutsWhenNarrower(environment: Environment): boolean {
  const { TERM, TMUX, XTERM_VERSION } = environment;
  return TMUX === undefined && (XTERM_VERSION !== undefined || TERM === "linux");
}
