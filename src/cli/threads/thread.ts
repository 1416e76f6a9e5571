import { EngineError } from "#engine/kernel/error.ts";
import type { BackgroundWorker } from "./worker.ts";

/** Work comes in bursts; between them a thread would hold tens of megabytes for nothing. */
const IDLE_MS = 60_000;

export interface Thread {
  /** Throws what the task throws, or that the thread died. */
  run(task: string, input: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** A worker that the first task opens, the next one after an accident opens anew, and idleness closes. */
export function createThread(
  open: () => Promise<BackgroundWorker>,
  { idle_ms = IDLE_MS } = {},
): Thread {
  let current: Promise<BackgroundWorker> | undefined;
  let running = 0;
  let idle: NodeJS.Timeout | undefined;

  async function end(worker: Promise<BackgroundWorker> | undefined): Promise<void> {
    if (current === worker) current = undefined;
    const opened = await worker?.catch(() => undefined);
    await opened?.close();
  }

  return {
    async run(task, input) {
      clearTimeout(idle);
      running += 1;
      current ??= open();
      const worker = current;
      try {
        return await (await worker).run(task, input);
      } catch (error) {
        // What the asker is told is no accident: the thread goes on.
        if (!(error instanceof EngineError)) await end(worker);
        throw error;
      } finally {
        running -= 1;
        if (running === 0) idle = setTimeout(() => void end(current), idle_ms).unref();
      }
    },
    async close() {
      clearTimeout(idle);
      await end(current);
    },
  };
}
