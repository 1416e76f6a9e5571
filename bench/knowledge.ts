/**
 * What a search among many passages costs beside the raw scans it is made of, and what indexing costs. In
 * this process, without HTTP, so that its own event loop tells whether anybody was held up. `node
 * bench/knowledge.ts` measures this alone, with what `npm run package` made.
 */
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createEmbedder } from "#cli/threads/embedder.ts";
import { createReader } from "#cli/threads/reader.ts";
import type { KnowledgeBaseRecord } from "#engine/knowledge/base.ts";
import type { ChunkRecord } from "#engine/knowledge/chunk.ts";
import { type SearchContext, searchKnowledge } from "#engine/knowledge/search.ts";
import type { Store } from "#engine/store.ts";
import { connect } from "#store/sqlite/database.ts";
import { longReadsThrough } from "#store/sqlite/long-reads.ts";
import { openSqliteStore } from "#store/sqlite/store.ts";
import { native } from "../test/support/native.ts";
import { indexingMemory } from "./indexing-memory.ts";
import { median } from "./load.ts";
import { temporaryFolder } from "./processes.ts";
import type { Row } from "./row.ts";
import { createWriter, seededRandom } from "./synthetic-text.ts";

const PASSAGES = 100_000;
const PASSAGES_PER_FILE = 500;
const PASSAGE_WORDS = 100;
const DIMENSIONS = 384;
const WANTED = 100;
const FOUND = 10;
const SPACE = "embedded/all-MiniLM-L6-v2";
const AT = "2026-01-01T00:00:00Z";

export async function knowledge(quick: boolean): Promise<Row[]> {
  const embedder = createEmbedder();
  const searcher = createReader();
  try {
    const file = join(temporaryFolder(), "knowledge.db");
    const threads = { knowledge: searcher, graphs: searcher };
    const long_reads = longReadsThrough(threads, { file, native });
    const store = openSqliteStore({ file, native, long_reads });
    const { queries, vectors } = await fill(store);
    const ctx: SearchContext = {
      read: store.read,
      services: {
        embedded_model: embedder.model,
        models: { connect: () => unused(), createClient: () => unused() } as never,
        log: { info: () => undefined, warn: unused, error: unused },
      },
      signal: AbortSignal.timeout(600_000),
    };
    const asked = queries.slice(0, quick ? 20 : 60);
    const hybrid = await searches(ctx, asked);
    const raw = rawScans(file, vectors, asked);
    await store.close();
    return [...searchRows(hybrid, raw), await throughput(embedder, quick)];
  } finally {
    await searcher.close();
    await embedder.close();
  }
}

const unused = (): never => {
  throw new Error("nobody asks for it here");
};

const base: KnowledgeBaseRecord = {
  id: "b",
  name: "b",
  vector_space: SPACE,
  created_at: AT,
  updated_at: AT,
};

/** Passages of made-up text, and vectors in groups, as those of real texts are. */
async function fill(store: Store) {
  const random = seededRandom(7);
  const writer = createWriter(random);
  const centres = Array.from({ length: 2000 }, () => randomVector(random));
  const vectors: Float32Array[] = [];
  await store.write((tx) => tx.knowledge_bases.insert(base));
  for (let start = 0; start < PASSAGES; start += PASSAGES_PER_FILE) {
    const file_id = `f${start}`;
    const chunks = Array.from({ length: PASSAGES_PER_FILE }, (_, seq): ChunkRecord => {
      const text = writer.words(PASSAGE_WORDS);
      const place = { file_id, seq, start: 0, end: text.length, headings: [] };
      return { ...place, index: "words", text, indexed_text: text };
    });
    const own = chunks.map(() => near(centres[Math.floor(random() * centres.length)], random));
    vectors.push(...own);
    await store.write(async (tx) => {
      await tx.knowledge_files.insert({
        id: file_id,
        knowledge_base_id: base.id,
        file_name: `${file_id}.txt`,
        file_type: "txt",
        file_size: 1,
        status: "ready",
        chunk_count: chunks.length,
        chunks_done: chunks.length,
        created_at: AT,
        vector_space: SPACE,
      });
      await tx.knowledge_chunks.insert(chunks);
      const embedded = own.map((vector, seq) => ({ chunk_id: start + seq + 1, vector }));
      await tx.knowledge_chunks.insertVectors(file_id, SPACE, embedded);
    });
  }
  const queries = Array.from({ length: 60 }, () => ({
    text: `how can I ${writer.rareWords(2)} the ${writer.rareWords(2)}`,
    vector: near(centres[Math.floor(random() * centres.length)], random),
  }));
  return { queries, vectors };
}

interface Query {
  readonly text: string;
  readonly vector: Float32Array;
}

interface Searched {
  readonly hybrid_ms: number;
  readonly meaning_ms: number;
  readonly embed_ms: number;
  readonly delay_ms: number;
  readonly nearest: ReadonlyMap<Query, readonly number[]>;
}

async function searches(ctx: SearchContext, queries: readonly Query[]): Promise<Searched> {
  const { knowledge_chunks } = ctx.read;
  const place = { knowledge_base_ids: [base.id], limit: WANTED, space: SPACE };
  const nearest = new Map<Query, number[]>();
  // Twice, the first time to warm up.
  const hybrid: number[] = [];
  const meaning: number[] = [];
  const embed: number[] = [];
  for (const times of [[], hybrid]) {
    for (const { text } of queries)
      times.push(await timed(() => searchKnowledge(ctx, [base], { query: text, limit: FOUND })));
  }
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (const { text } of queries)
    hybrid.push(await timed(() => searchKnowledge(ctx, [base], { query: text, limit: FOUND })));
  delay.disable();
  for (const query of queries) {
    meaning.push(
      await timed(async () => {
        const found = await knowledge_chunks.matchMeaning({ ...place, vector: query.vector });
        nearest.set(
          query,
          found.map(({ id }) => id),
        );
      }),
    );
    const values = [query.text];
    embed.push(await timed(async () => ctx.services.embedded_model?.queries.doEmbed({ values })));
  }
  return {
    hybrid_ms: median(hybrid),
    meaning_ms: median(meaning),
    embed_ms: median(embed),
    // The resolution is no delay.
    delay_ms: delay.percentile(99) / 1e6 - 1,
    nearest,
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** The scans alone, in sqlite-vec's own tables and SQLite's own index, on this thread. */
function rawScans(file: string, vectors: readonly Float32Array[], queries: readonly Query[]) {
  const connection = connect({ file, native });
  connection.exec(
    `CREATE VIRTUAL TABLE raw_float USING vec0(vector float[${DIMENSIONS}]);
     CREATE VIRTUAL TABLE raw_int8 USING vec0(vector int8[${DIMENSIONS}]);
     CREATE VIRTUAL TABLE raw_bit USING vec0(vector bit[${DIMENSIONS}])`,
  );
  const float = connection.prepare("INSERT INTO raw_float (rowid, vector) VALUES (?, ?)");
  const int8 = connection.prepare(
    "INSERT INTO raw_int8 (rowid, vector) VALUES (?, vec_quantize_int8(?, 'unit'))",
  );
  const bit = connection.prepare(
    "INSERT INTO raw_bit (rowid, vector) VALUES (?, vec_quantize_binary(?))",
  );
  connection.transaction(() => {
    for (const [at, vector] of vectors.entries()) {
      float.run(BigInt(at + 1), vector);
      int8.run(BigInt(at + 1), vector);
      bit.run(BigInt(at + 1), vector);
    }
  })();
  const floats = connection.prepare(
    `SELECT rowid AS id FROM raw_float WHERE vector MATCH ? AND k = ${WANTED}`,
  );
  const bits = connection.prepare(
    `SELECT n.rowid AS id, vec_distance_cosine(v.vector, :vector) AS distance
     FROM (SELECT rowid FROM raw_bit WHERE vector MATCH vec_quantize_binary(:vector) AND k = ${WANTED * 3}) n
     JOIN knowledge_vectors v ON v.id = n.rowid ORDER BY distance LIMIT ${WANTED}`,
  );
  const int8s = connection.prepare(
    `SELECT rowid FROM raw_int8 WHERE vector MATCH vec_quantize_int8(?, 'unit') AND k = ${WANTED}`,
  );
  const words = connection.prepare(
    `SELECT rowid FROM knowledge_words WHERE knowledge_words MATCH ? ORDER BY rank LIMIT ${WANTED}`,
  );
  const exact = new Map<Query, number[]>();
  const times = {
    float: [] as number[],
    int8: [] as number[],
    bit: [] as number[],
    words: [] as number[],
  };
  const time = (into: number[], work: () => void) => {
    work();
    const started = performance.now();
    work();
    into.push(performance.now() - started);
  };
  for (const query of queries) {
    time(times.float, () =>
      exact.set(
        query,
        (floats.all(query.vector) as Match[]).map(({ id }) => id),
      ),
    );
    time(times.int8, () => int8s.all(query.vector));
    time(times.bit, () => bits.all({ vector: query.vector }));
    const terms = query.text.split(" ").filter((word) => !/^(how|can|I|the)$/.test(word));
    time(times.words, () => words.all(terms.map((term) => `"${term}"`).join(" OR ")));
  }
  connection.close();
  return {
    float_ms: median(times.float),
    int8_ms: median(times.int8),
    bit_ms: median(times.bit),
    words_ms: median(times.words),
    exact,
  };
}

interface Match {
  readonly id: number;
}

function searchRows(searched: Searched, raw: ReturnType<typeof rawScans>): Row[] {
  const faster = Math.min(raw.float_ms, raw.int8_ms, raw.bit_ms);
  const recalls = [...raw.exact].map(([query, ids]) => {
    const found = new Set(searched.nearest.get(query));
    return ids.slice(0, FOUND).filter((id) => found.has(id)).length / FOUND;
  });
  const recall = recalls.reduce((sum, share) => sum + share, 0) / recalls.length;
  return [
    {
      what: "hybrid search among 100,000 passages, ms p50; limit: the faster raw scan",
      troupe: searched.hybrid_ms,
      limit: faster,
      target: "at most 1.5x",
      reached: searched.hybrid_ms <= faster * 1.5,
    },
    { what: "of that, the query's vector, ms p50", troupe: searched.embed_ms, limit: undefined },
    {
      what: "search by meaning among 100,000, ms p50; limit: float scan of sqlite-vec",
      troupe: searched.meaning_ms,
      limit: raw.float_ms,
    },
    {
      what: "the same; limit: bit scan of sqlite-vec with rescoring",
      troupe: searched.meaning_ms,
      limit: raw.bit_ms,
    },
    {
      what: "the same, recall of the 10 nearest; limit: float scan",
      troupe: recall,
      limit: 1,
      target: "at least 0.99",
      reached: recall >= 0.99,
    },
    {
      what: "the same; limit: scan of sqlite-vec in 8 bits",
      troupe: searched.meaning_ms,
      limit: raw.int8_ms,
    },
    { what: "full text alone among 100,000, ms p50", troupe: raw.words_ms, limit: undefined },
    {
      what: "event-loop delay while searching, ms p99",
      troupe: searched.delay_ms,
      limit: undefined,
      target: "under 20 ms",
      reached: searched.delay_ms < 20,
    },
  ];
}

/** Passages that one core embeds in a second; made of words that are one token each. */
async function throughput(
  { model }: ReturnType<typeof createEmbedder>,
  quick: boolean,
): Promise<Row> {
  const writer = createWriter(seededRandom(11));
  const texts = Array.from({ length: quick ? 40 : 150 }, () => writer.words(PASSAGE_WORDS));
  await model?.passages.doEmbed({ values: texts.slice(0, 5) });
  const before = process.cpuUsage();
  await model?.passages.doEmbed({ values: texts });
  const { user, system } = process.cpuUsage(before);
  const speed = texts.length / ((user + system) / 1e6);
  return {
    what: "passages of 103 tokens embedded per second of one core",
    troupe: speed,
    limit: undefined,
  };
}

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());

const randomVector = (random: () => number): Float32Array =>
  normalized(Float32Array.from({ length: DIMENSIONS }, () => normal(random)));

/** About as far from its centre as passages on one subject are from each other. */
const near = (centre: Float32Array = new Float32Array(DIMENSIONS), random: () => number) =>
  normalized(centre.map((number) => number + (0.8 * normal(random)) / Math.sqrt(DIMENSIONS)));

function normalized(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((number) => number / length);
}

function print({ what, troupe, limit, target, reached }: Row): void {
  const ratio = limit ? (troupe / limit).toFixed(2) : "";
  const verdict = target ? `${target}: ${reached ? "reached" : "MISSED"}` : "";
  console.log(
    `| ${what} | ${troupe.toFixed(2)} | ${limit?.toFixed(2) ?? ""} | ${ratio} | ${verdict} |`,
  );
}

if (process.argv[1] === import.meta.filename) {
  for (const row of await knowledge(process.argv.includes("--quick"))) print(row);
  print(await indexingMemory());
}
