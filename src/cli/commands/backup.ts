import { resolve } from "node:path";
import { Command } from "commander";
import { backUpData } from "../compose.ts";
import { note, printJson } from "../output.ts";
import { loadConfig } from "../settings/load-config.ts";

interface Flags {
  readonly dataDir?: string;
  readonly json?: boolean;
}

const HELP = `
The copy is the whole database as it is at one moment: agents, models, schemas, sessions, documents, tasks, tokens
and settings. It does not hold the keys: without keys/secrets.key of the data directory, or where SERVICE_JWT_KEYS_DIR
points, the API keys in it can't be opened. Keep both, at different places if you can.

To restore it, put both into a new directory, and serve that:
  mkdir -m 700 restored && cp troupe-monday.db restored/troupe.db && cp -r DATA-DIR/keys restored/
  troupe serve --data-dir restored`;

export const backupCommand = (): Command =>
  new Command("backup")
    .description("Copy a data directory's database into a file, also while a server runs on it")
    .argument("<file>", "the file to write; one that is there is kept")
    .option("--data-dir <dir>", "the data directory (SERVICE_DATA_DIR)")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (name: string, { dataDir, json }: Flags) => {
      const { data_dir, jwt_keys_dir } = loadConfig(
        dataDir ? { data_dir: dataDir } : {},
        process.env,
      );
      const file = resolve(name);
      const { bytes, version, secret_key } = await backUpData(data_dir, jwt_keys_dir, file);
      if (json) return void printJson({ file, bytes, version, secret_key });
      note(`Written to ${file}: ${(bytes / 1024 ** 2).toFixed(1)} MiB, version ${version}.`);
      note(`It holds everything but keys. Keep ${secret_key}, too: it opens the secrets in it.`);
    });
