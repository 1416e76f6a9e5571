import { Command, InvalidArgumentError } from "commander";
import { EngineError, notFound } from "#engine/kernel/error.ts";
import { LIMITS } from "#engine/kernel/limits.ts";
import { deleteFile, listFiles } from "#engine/knowledge/file-operations.ts";
import { listKnowledgeBases } from "#engine/knowledge/operations.ts";
import { searchBase } from "#engine/knowledge/search-operation.ts";
import { sanitizeLine } from "../chat/sanitize.ts";
import type { Client } from "../client/client.ts";
import type { ConnectFlags } from "../client/connect.ts";
import { addFiles } from "../knowledge/add-files.ts";
import { findFiles } from "../knowledge/local-files.ts";
import { showProgress, summaryOf } from "../knowledge/progress.ts";
import { passageTable } from "../knowledge/show-passages.ts";
import { EXIT, note, print, printJson, type SetExitCode, usageError } from "../output.ts";
import { table } from "../table.ts";
import { clientOptions } from "./options.ts";
import { using } from "./using.ts";

interface Flags extends ConnectFlags {
  readonly base: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  troupe knowledge add docs/ notes.pdf --base manuals      index files, again only what changed
  troupe knowledge search "How long is the warranty?"      what an agent would find
  troupe knowledge list --base manuals                     its files, and how far they are
  troupe knowledge rm notes.pdf --base manuals

An agent searches it once it is linked and has the capability knowledge: see docs/knowledge.md.`;

export function knowledgeCommand(exit: SetExitCode): Command {
  const command = new Command("knowledge")
    .description("Documents that agents can search")
    .addHelpText("after", EXAMPLES);
  clientOptions(command.command("add"))
    .description("Index files and folders; what is there already, unchanged, is left alone")
    .argument("<path...>", "files, or folders with all that can be read in them")
    .requiredOption("--base <name>", "the knowledge base; it is made when it is not there")
    .action((paths: string[], flags: Flags) => add(paths, flags, exit));
  clientOptions(command.command("list"))
    .description("List knowledge bases, or the files of one")
    .option("--base <name>", "the knowledge base")
    .action(list);
  clientOptions(command.command("search"))
    .description("Find passages, as an agent does with knowledge_search")
    .argument("<query>", "a question in full, or what to look for")
    .option("--base <name>", "the knowledge base; may be left out when there is only one")
    .option("--limit <n>", "how many passages at most, 1 to 50 (10)", toLimit)
    .option("--file <text>", "only files with this in their name")
    .action(search);
  clientOptions(command.command("rm"))
    .description("Delete a file, by id or name; it is gone from search at once")
    .argument("<file>", "the file's id or name")
    .requiredOption("--base <name>", "the knowledge base")
    .action(remove);
  return command;
}

async function add(paths: readonly string[], flags: Flags, exit: SetExitCode): Promise<void> {
  const found = findFiles(paths);
  const watcher = showProgress(process.stderr, { is_quiet: flags.json === true });
  const results = await using(flags, (client) => addFiles(client, flags.base, found, watcher));
  if (flags.json) printJson(results);
  else note(summaryOf(results, flags.base, found.skipped));
  if (results.some(({ change }) => change === "failed")) exit(EXIT.failed);
}

interface SearchFlags extends Omit<Flags, "base"> {
  readonly base?: string;
  readonly limit?: number;
  readonly file?: string;
}

async function search(q: string, flags: SearchFlags): Promise<void> {
  const { limit: top_k, file } = flags;
  const passages = await using(flags, async (client) => {
    const name = flags.base ?? (await onlyBase(client));
    return client.call(searchBase, { name, q, file, top_k });
  });
  if (flags.json) return void printJson(passages);
  if (passages.length === 0) return void note("Nothing is found.");
  print(passageTable(passages, process.stdout.columns));
}

function toLimit(text: string): number {
  const limit = Number(text);
  const { max } = LIMITS.knowledge_passages;
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  throw new InvalidArgumentError(`It must be a number from 1 to ${max}.`);
}

async function onlyBase(client: Client): Promise<string> {
  const [only, ...others] = await client.call(listKnowledgeBases, {});
  if (only && others.length === 0) return only.name;
  if (!only) throw new EngineError("not_found", NO_BASES);
  const names = [only, ...others].map(({ name }) => name).join(", ");
  throw usageError(`name one of the knowledge bases with --base: ${names}`);
}

const NO_BASES = "No knowledge bases yet: troupe knowledge add DIR --base manuals";

async function list(flags: Omit<Flags, "base"> & { base?: string }): Promise<void> {
  const { base } = flags;
  if (base === undefined) return listBases(flags);
  const files = await using(flags, (client) => client.call(listFiles, { name: base }));
  if (flags.json) return void printJson(files);
  if (files.length === 0) return void note(`No files yet: troupe knowledge add DIR --base ${base}`);
  const rows = files.map(({ id, file_name, status, chunk_count, status_message = "" }) => [
    id,
    sanitizeLine(file_name),
    status,
    String(chunk_count),
    sanitizeLine(status_message),
  ]);
  print(table(["ID", "FILE", "STATUS", "PASSAGES", "MESSAGE"], rows));
}

async function listBases(flags: Omit<Flags, "base">): Promise<void> {
  const bases = await using(flags, (client) => client.call(listKnowledgeBases, {}));
  if (flags.json) return void printJson(bases);
  if (bases.length === 0) return void note(NO_BASES);
  const rows = bases.map(({ name, file_count, linked_agents }) => [
    name,
    String(file_count),
    linked_agents.join(","),
  ]);
  print(table(["NAME", "FILES", "AGENTS"], rows));
}

async function remove(key: string, flags: Flags): Promise<void> {
  const file = await using(flags, async (client) => {
    const files = await client.call(listFiles, { name: flags.base });
    const found = files.find(({ id, file_name }) => id === key || file_name === key);
    if (!found) throw notFound("file", key);
    await client.call(deleteFile, { name: flags.base, file_id: found.id });
    return found;
  });
  if (flags.json) return void printJson({ id: file.id, file_name: file.file_name, deleted: true });
  note(`File "${file.file_name}" is deleted.`);
}
