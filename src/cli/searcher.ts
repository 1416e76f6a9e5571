import { readTextAsset } from "./assets.ts";
import { createThread, type Thread } from "./thread.ts";
import { startWorker } from "./worker.ts";

/** A thread for long reads of the database, so that none of them stalls an open stream. */
export const createSearcher = (): Thread =>
  createThread(async () => startWorker({ program: readTextAsset("dist/reader.js") }));
