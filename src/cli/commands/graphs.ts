import { writeFileSync } from "node:fs";
import { Command } from "commander";
import { EngineError, notFound } from "#engine/kernel/error.ts";
import { deleteGraph, getGraph, listGraphs } from "#engine/knowledge-graphs/bundles/operations.ts";
import { importGraph } from "#engine/knowledge-graphs/bundles/transfer-operations.ts";
import { deleteEntity, listEntities } from "#engine/knowledge-graphs/entities/operations.ts";
import { getEntitySchema, listEntitySchemas } from "#engine/knowledge-graphs/schemas/operations.ts";
import { sanitizeLine } from "../chat/sanitize.ts";
import type { ConnectFlags } from "../client/connect.ts";
import {
  type Format,
  formatBundle,
  formatOf,
  readBundles,
} from "../knowledge-graphs/bundle-file.ts";
import { filterKey } from "../knowledge-graphs/filter-flag.ts";
import { readLinked } from "../knowledge-graphs/linked-entity.ts";
import { pullBundle } from "../knowledge-graphs/pull.ts";
import {
  bundleTable,
  entityTable,
  entityText,
  typeTable,
} from "../knowledge-graphs/show-graphs.ts";
import { note, print, printJson, usageError } from "../output.ts";
import { clientOptions } from "./options.ts";
import { using } from "./using.ts";

interface Flags extends ConnectFlags {
  readonly json?: boolean;
}

interface ListFlags extends Flags {
  readonly filter?: readonly string[];
  readonly sort?: string;
  readonly limit?: string;
  readonly offset?: string;
}

const EXAMPLES = `
Examples:
  troupe graphs import depots.yaml
  troupe graphs list                                    all bundles
  troupe graphs list depots                             the types of one
  troupe graphs list depots depot --filter country=FI --filter "docks>=4" --sort docks:desc
  troupe graphs get depots depot D1                     an entity and what it refers to
  troupe graphs export depots depots.yaml               everything, to be imported again
  troupe graphs rm depots`;

const IMPORT_HELP = `
The file holds bundle_name, version, schemas and entities, as an export does, or a list of those as knowledge_graphs.
An import makes the bundle exactly what the file says: entity types and entities that it does not hold are removed.`;

export function graphsCommand(): Command {
  const command = new Command("graphs")
    .description("Knowledge graphs: typed facts that agents can query")
    .addHelpText("after", EXAMPLES);
  clientOptions(command.command("list"))
    .description("List bundles, the types of one, or the entities of a type")
    .argument("[bundle]", "the bundle")
    .argument("[type]", "the entity type")
    .option("--filter <condition>", 'like country=FI, "docks>=4" or "country in FI,SE"', collect)
    .option("--sort <fields>", "like docks:desc,country; missing values come last")
    .option("--limit <number>", "how many at most, up to 500")
    .option("--offset <number>", "how many to leave out at the beginning")
    .action(list);
  clientOptions(command.command("get"))
    .description("Show a bundle, an entity schema, or an entity with what it refers to")
    .argument("<bundle>", "the bundle")
    .argument("[type]", "the entity type")
    .argument("[id]", "the entity's id")
    .action(get);
  clientOptions(command.command("import"))
    .description("Import a bundle from a JSON or YAML file; - is standard input")
    .argument("<file>", "the file")
    .option("--bundle <name>", "what the bundle shall be called")
    .option("--no-replace", "refuse if there is such a bundle already")
    .addHelpText("after", IMPORT_HELP)
    .action(importFile);
  clientOptions(command.command("export"))
    .description("Export a whole bundle as YAML, or as JSON with --json or to a .json file")
    .argument("<bundle>", "the bundle")
    .argument("[file]", "where to; standard output if it is left out")
    .action(exportBundle);
  clientOptions(command.command("rm"))
    .description("Delete a bundle with all its entities, or one entity")
    .argument("<bundle>", "the bundle")
    .argument("[type]", "the entity type")
    .argument("[id]", "the entity's id")
    .action(remove);
  return command;
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

async function list(
  bundle: string | undefined,
  entity_type: string | undefined,
  flags: ListFlags,
): Promise<void> {
  if (bundle === undefined) return listBundles(flags);
  if (entity_type === undefined) return listTypes(bundle, flags);
  const { filter = [], sort, limit, offset } = flags;
  const query = { sort, limit, offset, ...Object.fromEntries(filter.map(filterKey)) };
  const [type, page] = await using(flags, async (client) => [
    await client.call(getEntitySchema, { bundle, entity_type }),
    await client.call(listEntities, { bundle, entity_type, ...query }),
  ]);
  if (flags.json) return void printJson(page);
  if (page.items.length > 0) print(entityTable(type, page.items));
  note(`${page.items.length} of ${page.total} from ${page.offset}`);
}

async function listBundles(flags: Flags): Promise<void> {
  const bundles = await using(flags, (client) => client.call(listGraphs, {}));
  if (flags.json) return void printJson(bundles);
  if (bundles.length === 0) return void note("No knowledge graphs yet: troupe graphs import FILE");
  print(bundleTable(bundles));
}

async function listTypes(bundle: string, flags: Flags): Promise<void> {
  const [graph, types] = await using(flags, async (client) => [
    await client.call(getGraph, { bundle }),
    await client.call(listEntitySchemas, { bundle }),
  ]);
  if (flags.json) return void printJson(types);
  print(typeTable(graph, types));
}

async function get(
  bundle: string,
  entity_type: string | undefined,
  id: string | undefined,
  flags: Flags,
): Promise<void> {
  if (entity_type === undefined) {
    const graph = await using(flags, (client) => client.call(getGraph, { bundle }));
    return void (flags.json ? printJson(graph) : print(bundleTable([graph])));
  }
  if (id === undefined) {
    return void printJson(
      await using(flags, (client) => client.call(getEntitySchema, { bundle, entity_type })),
    );
  }
  const linked = await using(flags, (client) => readLinked(client, bundle, entity_type, id));
  if (flags.json) return void printJson(linked);
  print(entityText(linked));
}

async function importFile(
  file: string,
  flags: Flags & { readonly bundle?: string; readonly replace: boolean },
): Promise<void> {
  const bundles = await readBundles(file, flags.bundle);
  const reports = await using(flags, async (client) => {
    const reports = [];
    for (const bundle of bundles) {
      if (!flags.json && process.stderr.isTTY) note(`Importing ${sanitizeLine(bundle.bundle)} …`);
      const how = flags.replace ? {} : { replace_existing: false };
      const report = await client.call(importGraph, { ...bundle, ...how });
      if (!flags.json) tell(report);
      reports.push(report);
    }
    return reports;
  });
  if (flags.json) printJson(reports.length === 1 ? reports[0] : reports);
}

function tell({ bundle_name, version, entities, schemas, warnings }: Report): void {
  const { removed } = schemas;
  for (const { entity_type, added, changed, removed: gone, unchanged } of entities) {
    const numbers = `${added} added, ${changed} changed, ${gone} removed, ${unchanged} unchanged`;
    note(
      `${entity_type}: ${numbers}${removed.includes(entity_type) ? "; the type is removed" : ""}`,
    );
  }
  for (const warning of warnings) note(`Note: ${sanitizeLine(warning)}`);
  note(`Knowledge graph "${bundle_name}" is now version ${sanitizeLine(version)}.`);
}

type Report = Awaited<ReturnType<typeof importGraph.run>>;

async function exportBundle(bundle: string, file: string | undefined, flags: Flags): Promise<void> {
  const pulled = await using(flags, (client) => pullBundle(client, bundle));
  const format: Format = flags.json ? "json" : formatOf(file ?? "");
  const text = formatBundle(pulled, format);
  if (file === undefined || file === "-") return void process.stdout.write(text);
  try {
    writeFileSync(file, text);
  } catch (cause) {
    const { code } = cause as { code?: string };
    throw new EngineError("unavailable", `${file}: cannot be written (${code})`, { cause });
  }
  const count = pulled.entities.reduce((sum, { items }) => sum + items.length, 0);
  note(`${count} entities of ${pulled.schemas.length} types are in ${file}.`);
}

async function remove(
  bundle: string,
  entity_type: string | undefined,
  id: string | undefined,
  flags: Flags,
): Promise<void> {
  if (entity_type === undefined) {
    await using(flags, async (client) => {
      await client.call(getGraph, { bundle });
      await client.call(deleteGraph, { bundle });
    });
    if (flags.json) return void printJson({ bundle_name: bundle, deleted: true });
    return void note(`Knowledge graph "${bundle}" is deleted.`);
  }
  if (id === undefined)
    throw usageError("name the entity to delete: troupe graphs rm BUNDLE TYPE ID");
  const result = await using(flags, (client) =>
    client.call(deleteEntity, { bundle, entity_type, id }),
  );
  if (!result.deleted) throw notFound(`${entity_type} entity`, id);
  if (flags.json) return void printJson(result);
  note(`${entity_type} "${sanitizeLine(id)}" is deleted.`);
}
