import type { WireFrame } from "#engine/events/wire.ts";
import type { TurnResult } from "./turn-result.ts";

export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean | undefined };

/** How a turn without a terminal is told. */
export interface Printer {
  start(): Promise<void>;
  print(frame: WireFrame): Promise<void>;
  end(result: TurnResult): Promise<void>;
}

/** Waits for slow readers. One that went away, as `head` does, is an error of the stream itself. */
export const write = (stream: Output, text: string): Promise<void> =>
  new Promise((resolve) => {
    stream.write(text, () => resolve());
  });
