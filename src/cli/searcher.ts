import { type BackgroundWorker, startWorker } from "./worker.ts";

/** A thread for searches, started by the first one; after an accident the next search starts a new one. */
export function createSearcher() {
  let worker: BackgroundWorker | undefined;
  return {
    async run(task: string, input: unknown): Promise<unknown> {
      worker ??= startWorker();
      const asked = worker;
      try {
        return await asked.run(task, input);
      } catch (error) {
        if (worker === asked) worker = undefined;
        await asked.close();
        throw error;
      }
    },
    async close(): Promise<void> {
      await worker?.close();
    },
  };
}
