/**
 * What a graph's size costs: `node bench/knowledge-graphs.ts` imports 50,000 entities in one transaction,
 * and asks a type of 100,000 for a page by a filter and a sort, beside one of 1,000. In this process,
 * without HTTP, so that only the engine and the store are measured.
 */
import type { Engine } from "#engine/engine.ts";
import { adminSession } from "#engine/kernel/principal.ts";
import { importGraph } from "#engine/knowledge-graphs/bundles/transfer-operations.ts";
import { listEntities } from "#engine/knowledge-graphs/entities/operations.ts";
import { startEngine } from "./engine.ts";
import { median } from "./load.ts";
import { whileWatched } from "./loop-delay.ts";

const MANY = 100_000;
const FEW = 1_000;
const IMPORTED = 50_000;
const ROUNDS = 200;
const PAGES_RATIO = 2;
const admin = adminSession("bench");

const SCHEMA = {
  type: "object",
  "x-id-field": "id",
  "x-tool-expose": [],
  required: ["id", "city"],
  properties: {
    id: { type: "string" },
    city: { type: "string", "x-index": true },
    size: { enum: ["small", "large"], "x-index": true },
    docks: { type: "integer", "x-index": true },
  },
};

/** Twenty of a hundred thousand, or of a thousand, are in one city; the sort puts them in another order. */
const entityOf = (index: number, count: number) => ({
  id: `e${index}`,
  city: `c${index % (count / 20)}`,
  size: index % 2 === 0 ? "small" : "large",
  docks: (index * 7919) % count,
});

const bundleOf = (bundle: string, count: number) => ({
  bundle,
  schemas: [{ entity_type: "depot", schema: SCHEMA }],
  entities: [
    {
      entity_type: "depot",
      items: Array.from({ length: count }, (_, index) => entityOf(index, count)),
    },
  ],
});

const QUERIES: Readonly<Record<string, Record<string, string>>> = {
  "a page": {},
  "an equality": { "filter[city]": "c7" },
  "an equality, sorted": { "filter[city]": "c7", sort: "docks:desc" },
  "two filters, sorted": { "filter[city]": "c7", "filter[size]": "large", sort: "docks" },
  "a sort": { sort: "docks:desc" },
  "a sort by two": { sort: "docks,city:desc" },
  "a range of 20, sorted by another": {
    "filter[docks][gte]": "100",
    "filter[docks][lt]": "120",
    sort: "city",
  },
  "half of all, sorted by another": { "filter[size]": "large", sort: "docks" },
};

async function timesOf(engine: Engine, bundle: string): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const [what, query] of Object.entries(QUERIES)) {
    const measured: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const started = performance.now();
      await engine.call(admin, listEntities, { bundle, entity_type: "depot", ...query });
      measured.push(performance.now() - started);
    }
    times.set(what, median(measured));
  }
  return times;
}

const MEASURED = 60_000;
const PRIMES = [7_919, 104_729, 1_299_709, 15_485_863];
const HEAVY_ROUNDS = 10;
const DELAY_MS = 20;

const MEASURES = ["height", "length", "weight", "width"];

/** Four ranges that most meet, and two to sort by; each round is another query, as totals are kept. */
async function heavyQueries(engine: Engine): Promise<void> {
  const properties = MEASURES.map((name) => [name, { type: "integer", "x-index": true }]);
  const schema = { ...SCHEMA, required: ["id"], properties: Object.fromEntries(properties) };
  schema.properties.id = SCHEMA.properties.id;
  const items = Array.from({ length: MEASURED }, (_, index) => ({
    id: `e${index}`,
    ...Object.fromEntries(
      MEASURES.map((name, at) => [name, (index * (PRIMES[at] ?? 1)) % MEASURED]),
    ),
  }));
  await engine.call(admin, importGraph, {
    bundle: "measured",
    schemas: [{ entity_type: "depot", schema }],
    entities: [{ entity_type: "depot", items }],
  });
  const times: number[] = [];
  const { p99_ms, longest_ms } = await whileWatched(async () => {
    for (let round = 0; round < HEAVY_ROUNDS; round += 1) {
      const ranges = {
        "filter[height][gte]": String(MEASURED / 10 + round),
        "filter[length][lt]": String((MEASURED * 9) / 10),
        "filter[weight][gte]": String(MEASURED / 10),
        "filter[width][lt]": String((MEASURED * 9) / 10),
      };
      const sort = "height:desc,length";
      const query = { bundle: "measured", entity_type: "depot", ...ranges, sort };
      const started = performance.now();
      await engine.call(admin, listEntities, query);
      times.push(performance.now() - started);
    }
  });
  const verdict = p99_ms < DELAY_MS ? "reached" : "MISSED";
  console.log(
    `\nFour ranges and a sort among ${MEASURED}: ${median(times).toFixed(0)} ms; meanwhile event-loop delay p99 ${p99_ms.toFixed(1)} ms, longest ${longest_ms.toFixed(1)} ms (under ${DELAY_MS}: ${verdict})`,
  );
}

type GivenImport = Parameters<typeof importGraph.run>[1];

async function importing(engine: Engine): Promise<void> {
  const bundle = bundleOf("imported", IMPORTED);
  const body = JSON.stringify(bundle);
  const before = process.memoryUsage().rss;
  let most = before;
  const memory = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 5);
  const tell = async (what: string, given: GivenImport) => {
    const started = performance.now();
    const cpu = process.cpuUsage();
    const { p99_ms, longest_ms } = await whileWatched(() => engine.call(admin, importGraph, given));
    const seconds = (performance.now() - started) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const rate = (IMPORTED / seconds).toFixed(0);
    console.log(
      `| ${what} | ${seconds.toFixed(2)} | ${((user + system) / 1e6).toFixed(2)} | ${rate} | ${p99_ms.toFixed(1)} | ${longest_ms.toFixed(0)} |`,
    );
  };
  const megabytes = (body.length / 1024 / 1024).toFixed(1);
  console.log(
    `| Import of ${IMPORTED} entities, ${megabytes} MB | s | CPU s | entities/s | event-loop delay p99 ms | longest |`,
  );
  console.log("|---|---|---|---|---|---|");
  await tell("new", bundle);
  await tell("the same again", bundle);
  const items = bundle.entities[0]?.items.map((item) => ({ ...item, docks: item.docks + 1 })) ?? [];
  await tell("each changed", { ...bundle, entities: [{ entity_type: "depot", items }] });
  await tell("none left", { ...bundle, entities: [] });
  clearInterval(memory);
  const grown = (most - before) / 1024 / 1024;
  console.log(`\nMemory grown by at most ${grown.toFixed(0)} MB`);
}

const { engine, stop } = await startEngine();
await importing(engine);
await engine.call(admin, importGraph, bundleOf("few", FEW));
await engine.call(admin, importGraph, bundleOf("many", MANY));
await heavyQueries(engine);
await timesOf(engine, "few");
const [of_few, of_many] = [await timesOf(engine, "few"), await timesOf(engine, "many")];
console.log(`\n| Entities | ms among ${FEW} | ms among ${MANY} | ratio |\n|---|---|---|---|`);
for (const [what, few_ms] of of_few) {
  const many_ms = of_many.get(what) ?? 0;
  const ratio = many_ms / few_ms;
  const verdict = ratio <= PAGES_RATIO ? "" : `, MISSED: at most ${PAGES_RATIO}`;
  console.log(
    `| ${what} | ${few_ms.toFixed(3)} | ${many_ms.toFixed(3)} | ${ratio.toFixed(1)}${verdict} |`,
  );
}
await stop();
