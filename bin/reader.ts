import { answerTasks } from "#cli/threads/worker-tasks.ts";
import { yamlTasks } from "#engine/config/yaml-thread.ts";
import { createLongReader, type LongRead } from "#store/sqlite/long-reads.ts";

const read = createLongReader();

/** What is read off the main thread. A program of its own, as it starts in a tenth of the worker's time. */
answerTasks({ long_read: (input) => read(input as LongRead), ...yamlTasks });
