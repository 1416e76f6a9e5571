import { answerTasks } from "#cli/threads/worker-tasks.ts";
import { yamlTasks } from "#engine/config/yaml-thread.ts";
import { createCheckpoints } from "#store/sqlite/checkpoints.ts";
import type { ConnectOptions } from "#store/sqlite/database.ts";
import { createLongReader, type LongRead } from "#store/sqlite/long-reads.ts";

const read = createLongReader();
const checkpoint = createCheckpoints();

/**
 * What is read off the main thread, and what waits for the disk. A program of its own, as it starts in a tenth
 * of the worker's time.
 */
answerTasks({
  long_read: (input) => read(input as LongRead),
  checkpoint: (input) => checkpoint(input as ConnectOptions),
  ...yamlTasks,
});
