import { createThread, type Thread } from "./thread.ts";
import { startWorker } from "./worker.ts";

/** A thread for searches, so that none of them stalls an open stream. */
export const createSearcher = (): Thread => createThread(async () => startWorker());
