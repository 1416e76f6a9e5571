import { Worker, type WorkerOptions } from "node:worker_threads";
import { EngineError, type ErrorCode } from "#engine/kernel/error.ts";
import { readTextAsset } from "../assets.ts";

export interface WorkerRequest {
  readonly id: number;
  readonly task: string;
  readonly input: unknown;
}

export type WorkerAnswer =
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly error: string; readonly code?: ErrorCode | undefined };

export interface BackgroundWorker {
  /** Throws what the task throws, or that the worker died. What is `given` is not the caller's any more. */
  run(task: string, input: unknown, given?: readonly ArrayBuffer[]): Promise<unknown>;
  close(): Promise<void>;
}

/** The text is made a module in the thread itself: of megabytes, that takes a while. */
const START = `
  const text = Buffer.from(require("node:worker_threads").workerData);
  import("data:text/javascript;base64," + text.toString("base64"));`;

/** A thread of its own. The executable has no file to start it from, so it starts from its text. */
export function startWorker({
  program = readTextAsset("dist/worker.js"),
  ...options
}: { readonly program?: string } & WorkerOptions = {}): BackgroundWorker {
  const worker = new Worker(START, { ...options, eval: true, workerData: program });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last_id = 0;
  let death: Error | undefined;

  const die = (error: Error) => {
    death ??= error;
    for (const asked of waiting.values()) asked.reject(death);
    waiting.clear();
  };
  worker.on("message", (answer: WorkerAnswer) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) worker.unref();
    if ("error" in answer) asked?.reject(errorOf(answer));
    else asked?.resolve(answer.output);
  });
  worker.on("error", die);
  worker.on("exit", (code) => die(new Error(`the worker ended with ${code}`)));
  worker.unref();

  return {
    async run(task, input, given = []) {
      if (death) throw death;
      last_id += 1;
      const asked = Promise.withResolvers<unknown>();
      // First, as it throws for what can't be sent: then nobody must be left waiting.
      worker.postMessage({ id: last_id, task, input } satisfies WorkerRequest, [...given]);
      waiting.set(last_id, asked);
      // Only while somebody waits for it does the thread keep the process alive.
      worker.ref();
      return asked.promise;
    },
    async close() {
      await worker.terminate();
    },
  };
}

/** What a task throws for its asker to see stays what it was. */
const errorOf = ({
  error,
  code,
}: {
  readonly error: string;
  readonly code?: ErrorCode | undefined;
}) => (code ? new EngineError(code, error) : new Error(error));
