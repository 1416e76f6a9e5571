import { parentPort } from "node:worker_threads";
import { EngineError } from "#engine/kernel/error.ts";
import type { WorkerAnswer, WorkerRequest } from "./worker.ts";

/** By name: what a worker does for who asks it. */
export type WorkerTasks = Readonly<Record<string, (input: unknown) => Promise<unknown>>>;

/** The other end of `startWorker`. */
export function answerTasks(tasks: WorkerTasks): void {
  parentPort?.on("message", async (request: WorkerRequest) => {
    parentPort?.postMessage(await answerOf(tasks, request));
  });
}

async function answerOf(
  tasks: WorkerTasks,
  { id, task, input }: WorkerRequest,
): Promise<WorkerAnswer> {
  try {
    const work = tasks[task];
    if (!work) throw new Error(`there is no task "${task}"`);
    return { id, output: await work(input) };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { id, error: text, code: error instanceof EngineError ? error.code : undefined };
  }
}
