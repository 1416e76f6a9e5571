import { setTimeout as delay } from "node:timers/promises";
import { Command, InvalidArgumentError } from "commander";
import type { z } from "zod";
import { EngineError, notFound } from "#engine/kernel/error.ts";
import { LIMITS } from "#engine/kernel/limits.ts";
import type { KnowledgeFile } from "#engine/knowledge/file.ts";
import { deleteFile, getFile, listFiles, uploadFile } from "#engine/knowledge/file-operations.ts";
import { createKnowledgeBase, listKnowledgeBases } from "#engine/knowledge/operations.ts";
import { searchBase } from "#engine/knowledge/search-operation.ts";
import { sanitizeLine } from "../chat/sanitize.ts";
import type { Client } from "../client.ts";
import { type ConnectFlags, connect } from "../connect.ts";
import { findFiles, hashOf, type LocalFile, uploadOf } from "../knowledge/local-files.ts";
import { passageTable } from "../knowledge/show-passages.ts";
import { EXIT, note, print, printJson, type SetExitCode, usageError } from "../output.ts";
import { table } from "../table.ts";
import { clientOptions } from "./options.ts";

type File = z.output<typeof KnowledgeFile>;

interface Flags extends ConnectFlags {
  readonly base: string;
  readonly json?: boolean;
}

const LOOK_EVERY_MS = 100;

export function knowledgeCommand(exit: SetExitCode): Command {
  const command = new Command("knowledge").description("Documents that agents can search");
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
  const files = findFiles(paths);
  const results = await using(flags, async (client) => {
    await ensureBase(client, flags.base);
    const known = await client.call(listFiles, { name: flags.base });
    const results: (File & { change: string })[] = [];
    for (const [index, file] of files.entries()) {
      const result = await addOne(client, flags.base, known, file);
      results.push(result);
      if (!flags.json) note(`${index + 1}/${files.length} ${told(result)}`);
    }
    return results;
  });
  if (flags.json) printJson(results);
  else if (files.length === 0) note("There is nothing in there that can be read.");
  if (results.some(({ status }) => status === "error")) exit(EXIT.failed);
}

const told = ({
  file_name,
  change,
  status,
  chunk_count,
  status_message = "",
}: File & { change: string }) =>
  status === "error"
    ? `${file_name}: failed: ${status_message}`
    : `${file_name}: ${change}, ${chunk_count} passages`;

/** The old one of the same name is searched until the new one is ready; one that failed is of no use. */
async function addOne(client: Client, name: string, known: readonly File[], file: LocalFile) {
  const hash = await hashOf(file.path);
  const namesakes = known.filter(({ file_name }) => file_name === file.name);
  const same = namesakes.find((other) => other.hash === hash && other.status === "ready");
  if (same) return { ...same, change: "unchanged" };
  const uploaded = await client.call(uploadFile, { name, ...uploadOf(file) });
  const indexed = await whenIndexed(client, name, uploaded);
  const outdated = namesakes.filter(
    ({ status }) => status === "error" || indexed.status === "ready",
  );
  for (const { id } of outdated) await client.call(deleteFile, { name, file_id: id });
  return { ...indexed, change: namesakes.length > 0 ? "replaced" : "added" };
}

async function whenIndexed(client: Client, name: string, uploaded: File): Promise<File> {
  let file = uploaded;
  while (file.status === "indexing") {
    await delay(LOOK_EVERY_MS);
    file = await client.call(getFile, { name, file_id: file.id });
    showProgress(file);
  }
  return file;
}

/** A bar that the next line writes over; only a terminal can do that. */
function showProgress({ file_name, status, chunks_done, chunk_count }: File): void {
  if (!process.stderr.isTTY) return;
  const share = chunk_count === 0 ? 0 : chunks_done / chunk_count;
  const bar = "#".repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, ".");
  const line = status === "indexing" ? `[${bar}] ${chunks_done}/${chunk_count} ${file_name}` : "";
  process.stderr.write(`\r\u001b[K${line}`);
}

const BAR_WIDTH = 24;

async function ensureBase(client: Client, name: string): Promise<void> {
  try {
    await client.call(createKnowledgeBase, { name });
  } catch (error) {
    if (!(error instanceof EngineError && error.code === "conflict")) throw error;
  }
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

async function using<Result>(flags: ConnectFlags, work: (client: Client) => Promise<Result>) {
  const client = await connect(flags, process.env);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
