import { readTextAsset } from "../assets.ts";
import { createThread, type Thread } from "./thread.ts";
import { startWorker } from "./worker.ts";

/** A thread for what takes long to read, in the database or in a document: no open stream has to wait for it. */
export const createReader = (): Thread =>
  createThread(async () => startWorker({ program: readTextAsset("dist/reader.js") }));
