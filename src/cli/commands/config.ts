import { createInterface } from "node:readline/promises";
import { Command } from "commander";
import type { z } from "zod";
import { documentSchema } from "#engine/config/document-schema.ts";
import {
  applyConfig,
  type ConfigPlan,
  type ConfigResult,
  exportConfig,
  planConfig,
} from "#engine/config/operations.ts";
import { validateDocument } from "#engine/config/validate.ts";
import { parseYaml } from "#engine/config/yaml.ts";
import type { Client } from "../client/client.ts";
import type { ConnectFlags } from "../client/connect.ts";
import { readDocumentFiles, unreadable } from "../config/document-files.ts";
import { planText } from "../config/plan-text.ts";
import { readText } from "../config/yaml-files.ts";
import { replaceFile } from "../data-directory.ts";
import { EXIT, note, print, printJson, type SetExitCode, usageError } from "../output.ts";
import { describeSettings, settingsProblem } from "../settings/load-config.ts";
import { table } from "../table.ts";
import { clientOptions } from "./options.ts";
import { using } from "./using.ts";

interface Flags extends ConnectFlags {
  readonly json?: boolean;
}

interface ApplyFlags extends Flags {
  readonly prune?: boolean;
  readonly yes?: boolean;
  readonly plan?: string;
}

type Plan = z.output<typeof ConfigPlan>;
type Result = z.output<typeof ConfigResult>;

/** `plan` tells by its exit code that there is something to do (docs/command-line.md). */
const CHANGES = 2;

const FILE = "a YAML file, a folder of them, or - for standard input";

export function configCommand(exit: SetExitCode): Command {
  const command = new Command("config")
    .description("The configuration as a document: models, tools, agents and schemas as YAML")
    .addHelpText("after", EXAMPLES);
  clientOptions(command.command("export"))
    .description("Write the configuration as YAML, without secrets")
    .argument("[file]", "where to; standard output when absent")
    .action(exportTo);
  clientOptions(command.command("import"))
    .description("Merge a document: what it names is made as it says, the rest stays")
    .argument("<file>", FILE)
    .action((file: string, flags: Flags) => importFrom(file, flags, exit));
  command
    .command("validate")
    .description("Check a document by itself, without an installation")
    .argument("<file>", FILE)
    .option("--json", "print JSON")
    .action((file: string, flags: Flags) => validate(file, flags, exit));
  clientOptions(command.command("plan"))
    .description("Show what apply would do; exit code 0: nothing, 2: something")
    .argument("<file>", FILE)
    .option("--prune", "also remove what the document's sections no longer name")
    .action((file: string, flags: ApplyFlags) => plan(file, flags, exit));
  clientOptions(command.command("apply"))
    .description("Make it so: exactly what the plan shows, in one transaction, or nothing")
    .argument("<file>", FILE)
    .option("--prune", "also remove what the document's sections no longer name")
    .option("--plan <digest>", "only if it still is the plan with this digest")
    .option("--yes", "remove without asking")
    .action((file: string, flags: ApplyFlags) => apply(file, flags, exit));
  command
    .command("schema")
    .description("Print the document's JSON Schema, for editors")
    .option("--check <file>", "only say whether this file is up to date")
    .action((flags: { check?: string }) => schema(flags, exit));
  command
    .command("show")
    .description("Show the settings of `troupe serve`, and where each comes from")
    .option("--config <file>", "the YAML file or folder that `serve` is given")
    .option("--json", "print JSON")
    .action(showSettings);
  return command;
}

function schema({ check }: { check?: string }, exit: SetExitCode): void {
  const text = JSON.stringify(documentSchema(), undefined, 2);
  if (check === undefined) return void print(text);
  if (readText(check).trim() === text) return;
  note(`${check} is stale: run \`npm run generated\``);
  exit(EXIT.failed);
}

function showSettings({ config: file, json }: { config?: string; json?: boolean }): void {
  const settings = describeSettings(process.env, file);
  if (json) return void printJson(settings);
  const rows = settings.map(({ name, value, origin }) => [name, String(value ?? ""), origin]);
  print(table(["SETTING", "VALUE", "FROM"], rows));
}

const EXAMPLES = `
Examples:
  troupe config export > troupe.yaml      what there is, as a document
  troupe config plan troupe.yaml          what applying it would change
  troupe config apply troupe.yaml         change exactly that
  troupe config apply conf.d --prune      a folder is one document; remove what it does not name`;

async function exportTo(file: string | undefined, flags: Flags): Promise<void> {
  const text = await using(flags, (client) => client.call(exportConfig, {}));
  if (file === undefined) {
    if (flags.json) printJson(parseYaml(text, undefined).value);
    else process.stdout.write(text);
    return;
  }
  try {
    replaceFile(file, text);
  } catch (cause) {
    throw unreadable(file, cause);
  }
  if (flags.json) printJson({ file, bytes: Buffer.byteLength(text) });
  else note(`Written to ${file}.`);
}

async function importFrom(file: string, flags: Flags, exit: SetExitCode): Promise<void> {
  const wanted = await readDocumentFiles(file, process.env);
  const result = await using(flags, (client) => client.call(applyConfig, wanted));
  report(result, flags, exit);
}

async function validate(file: string, flags: Flags, exit: SetExitCode): Promise<void> {
  const { documents, variables } = await readDocumentFiles(file, process.env);
  const found = await validateDocument(documents, { variables, is_strict: true });
  // A text that is no YAML is told once.
  const refused = found.errors.length > 0 ? undefined : settingsProblem(documents, process.env);
  const validity = { ...found, errors: refused ? [refused] : found.errors };
  const is_valid = validity.errors.length === 0;
  if (!is_valid) exit(EXIT.failed);
  if (flags.json) return void printJson({ valid: is_valid, ...validity });
  for (const error of validity.errors) note(error);
  for (const warning of validity.warnings) note(`warning: ${warning}`);
  if (is_valid) print("The document is valid.");
}

async function plan(file: string, flags: ApplyFlags, exit: SetExitCode): Promise<void> {
  const found = await using(flags, (client) => planOf(client, file, flags));
  if (found.plan.changes.length > 0) exit(CHANGES);
  if (flags.json) return void printJson(found.plan);
  show(found.plan, process.stdout);
  if (found.plan.changes.length === 0) return;
  note(
    `To do exactly this: troupe config apply ${file}${flags.prune ? " --prune" : ""} --plan ${found.plan.digest}`,
  );
}

async function apply(file: string, flags: ApplyFlags, exit: SetExitCode): Promise<void> {
  await using(flags, async (client) => {
    const { plan, wanted } = await planOf(client, file, flags);
    if (!flags.json) show(plan, process.stderr);
    const digest = flags.plan ?? plan.digest;
    if (plan.changes.length > 0 && !(await mayRemove(plan, flags))) {
      note("Nothing was changed.");
      return exit(EXIT.failed);
    }
    report(await client.call(applyConfig, { ...wanted, digest }), flags, exit);
  });
}

async function planOf(client: Client, file: string, { prune = false }: ApplyFlags) {
  const wanted = { ...(await readDocumentFiles(file, process.env)), prune, strict: true };
  return { wanted, plan: await client.call(planConfig, wanted) };
}

function show(plan: Plan, stream: NodeJS.WriteStream): void {
  for (const warning of plan.warnings) note(`warning: ${warning}`);
  const colour = stream.isTTY && !process.env.NO_COLOR && process.env.TERM !== "dumb";
  stream.write(`${planText(plan, { colour })}\n`);
}

/** What is removed is gone: somebody must have said so. */
async function mayRemove({ changes }: Plan, { yes }: ApplyFlags): Promise<boolean> {
  const removed = changes.filter(({ action }) => action === "delete").length;
  if (removed === 0 || yes) return true;
  if (!process.stdin.isTTY) {
    throw usageError(
      `this removes ${removed}; say --yes, as nobody can be asked without a terminal`,
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`Remove ${removed}, and do the rest? [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

function report(result: Result, { json }: Flags, exit: SetExitCode): void {
  if (result.errors.length > 0) exit(EXIT.failed);
  if (json) return void printJson(result);
  for (const warning of result.warnings) note(`warning: ${warning}`);
  for (const error of result.errors) note(error);
  const { created, updated, deleted, unchanged } = result;
  print(`${created} created, ${updated} changed, ${deleted} removed, ${unchanged} unchanged.`);
}
