import { readFileSync } from "node:fs";
import { Command } from "commander";
import { toOpenApi } from "#server/http/openapi.ts";
import { routesOf } from "#server/routes/all.ts";
import { API_BASE } from "#server/server.ts";
import { version } from "../assets.ts";
import { EXIT, note, print, type SetExitCode } from "../output.ts";

export const openapiCommand = (exit: SetExitCode): Command =>
  new Command("openapi")
    .description("Print the REST interface as OpenAPI 3.1")
    .option("--check <file>", "only say whether this file is up to date")
    .action(({ check }: { check?: string }) => {
      const document = toOpenApi(routesOf({ bootstrap_secret: undefined }), API_BASE, version);
      const text = JSON.stringify(document, undefined, 2);
      if (check === undefined) return void print(text);
      if (readFileSync(check, "utf8").trim() === text) return;
      note(`${check} is stale: run \`npm run generated\``);
      exit(EXIT.failed);
    });
