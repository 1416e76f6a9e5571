import type { WireFrame } from "#engine/events/wire.ts";
import type { TurnResult } from "./turn-result.ts";

export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean | undefined };

/** How a turn without a terminal is told. */
export interface Printer {
  start(): Promise<void>;
  print(frame: WireFrame): Promise<void>;
  end(result: TurnResult): Promise<void>;
}

/** Waits for slow readers; one that went away, as `head` does, is no reason to fail. */
export const write = (stream: Output, text: string): Promise<void> =>
  new Promise((resolve) => {
    stream.write(text, () => resolve());
  });
