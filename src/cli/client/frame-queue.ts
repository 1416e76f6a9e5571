import { isLastFrame } from "#engine/events/channel.ts";
import type { WireFrame } from "#engine/events/wire.ts";

interface FrameSource {
  readonly replay: readonly WireFrame[];
  follow(listener: (frame: WireFrame) => void): () => void;
}

/** Pushed frames as something to iterate, up to the last one of so many turns. */
export async function* framesOf(
  { replay, follow }: FrameSource,
  turns = 1,
): AsyncGenerator<WireFrame> {
  let left = turns;
  const waiting: WireFrame[] = [...replay];
  let wake: (() => void) | undefined;
  const stop = follow((frame) => {
    waiting.push(frame);
    wake?.();
  });
  try {
    for (;;) {
      const frame = waiting.shift();
      if (!frame) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      yield frame;
      if (isLastFrame(frame)) left -= 1;
      if (left === 0) return;
    }
  } finally {
    stop();
  }
}

/** What comes behind so many turns. */
export async function* behind(
  turns: number,
  frames: AsyncIterable<WireFrame>,
): AsyncGenerator<WireFrame> {
  let left = turns;
  for await (const frame of frames) {
    if (left === 0) yield frame;
    else if (isLastFrame(frame)) left -= 1;
  }
}
