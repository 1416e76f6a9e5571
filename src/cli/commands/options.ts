import type { Command } from "commander";

/** The flags that every client command has. */
export const clientOptions = (command: Command): Command =>
  command
    .option("--data-dir <dir>", "work on this local data directory (SERVICE_DATA_DIR)")
    .option("--url <url>", "work on this server instead (SERVICE_URL)")
    .option("--token <token>", "API token for that server (SERVICE_TOKEN)")
    .option("--json", "print JSON");
