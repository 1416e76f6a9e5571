import { isLastFrame } from "#engine/events/channel.ts";
import type { WireFrame } from "#engine/events/wire.ts";

/** Pushed frames as something to iterate, up to the turn's last one. */
export async function* framesOf(
  follow: (listener: (frame: WireFrame) => void) => () => void,
): AsyncGenerator<WireFrame> {
  const waiting: WireFrame[] = [];
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
      if (isLastFrame(frame)) return;
    }
  } finally {
    stop();
  }
}
