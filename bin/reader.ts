import { answerTasks } from "#cli/worker-tasks.ts";
import { createLongReader, type LongRead } from "#store/sqlite/long-reads.ts";

const read = createLongReader();

/** What the database is asked off the main thread. A program of its own, as it starts in a tenth of the time. */
answerTasks({ long_read: (input) => read(input as LongRead) });
