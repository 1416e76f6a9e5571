import { Command } from "commander";
import { checkInstallation } from "../doctor.ts";
import { EXIT, print, printJson, type SetExitCode } from "../output.ts";
import { loadConfig } from "../settings/load-config.ts";
import { table } from "../table.ts";

export const doctorCommand = (exit: SetExitCode): Command =>
  new Command("doctor")
    .description("Check that everything troupe needs works on this machine")
    .option("--data-dir <dir>", "the data directory to check (SERVICE_DATA_DIR)")
    .option("--json", "print JSON")
    .action(async ({ dataDir, json }: { dataDir?: string; json?: boolean }) => {
      const { data_dir } = loadConfig(dataDir ? { data_dir: dataDir } : {}, process.env);
      const checks = await checkInstallation(data_dir);
      if (json) printJson(checks);
      else
        print(
          table(
            ["", "CHECK", "FOUND"],
            checks.map(({ ok, check, detail }) => [ok ? "ok" : "FAILED", check, detail]),
          ),
        );
      if (checks.some(({ ok }) => !ok)) exit(EXIT.failed);
    });
