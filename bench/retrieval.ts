/**
 * How well a question finds its passage: by words alone, by meaning alone, and by both. `node
 * bench/retrieval.ts` prints the table; see retrieval/README.md for the set.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createEmbedder, readVocabulary } from "#cli/threads/embedder.ts";
import { createWordPieces } from "#engine/embedding/word-piece.ts";
import type { KnowledgeBaseRecord } from "#engine/knowledge/base.ts";
import { type Chunk, withHeadings } from "#engine/knowledge/chunk.ts";
import { indexedText, textIndexOf } from "#engine/knowledge/language.ts";
import { type SearchContext, searchKnowledge } from "#engine/knowledge/search.ts";
import type { Store } from "#engine/store.ts";
import { openSqliteStore } from "#store/sqlite/store.ts";
import { chunksIn } from "../test/support/extraction.ts";
import { native } from "../test/support/native.ts";
import { temporaryFolder } from "./processes.ts";
import type { Row } from "./row.ts";

const ROOT = join(import.meta.dirname, "..");
const SET = join(import.meta.dirname, "retrieval");
const LANGUAGES = ["de", "ru", "zh"] as const;
const LOOK_UPS = 60;
const SPACE = "embedded/all-MiniLM-L6-v2";
const AT = "2026-01-01T00:00:00Z";
const LOOKED_AT = 20;

interface Question {
  readonly group: string;
  readonly text: string;
  readonly file: string;
  readonly section: string;
}

interface Page {
  readonly file: string;
  readonly text: string;
}

const read = (...path: string[]): string => readFileSync(join(SET, ...path), "utf8");

function pages(): Page[] {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const others = Object.keys(dependencies).flatMap((name) => {
    const folder = join(ROOT, "node_modules", name);
    const readme = readdirSync(folder).find((file) => /^readme\.md$/i.test(file));
    if (!readme) return [];
    return [{ file: `${name}/README.md`, text: readFileSync(join(folder, readme), "utf8") }];
  });
  return [
    ...readdirSync(join(SET, "en")).map((file) => ({ file, text: read("en", file) })),
    ...LANGUAGES.map((name) => ({
      file: `${name}.md`,
      text: read(`${name}.md`).replace(/^\? .*\n/gm, ""),
    })),
    ...others,
  ];
}

/** A section's questions stand below its heading: `- ` in the English file, `? ` in the others. */
function writtenQuestions(): Question[] {
  const of = (group: string, text: string, mark: string, placeOf: (heading: string) => string[]) =>
    text.split(/^## /m).flatMap((part) => {
      const [heading = "", ...lines] = part.split("\n");
      const [file = "", section = ""] = placeOf(heading);
      return lines
        .filter((line) => line.startsWith(mark))
        .map((line) => ({ group, text: line.slice(mark.length), file, section }));
    });
  return [
    ...of("paraphrases", read("en-questions.md"), "- ", (heading) => heading.split(" > ")),
    ...LANGUAGES.flatMap((name) =>
      of(name, read(`${name}.md`), "? ", (heading) => [`${name}.md`, heading]),
    ),
  ];
}

/** Identifiers that stand in one section alone. */
function lookUps(chunks: ReadonlyMap<string, readonly Chunk[]>): Question[] {
  const places = new Map<string, Set<string>>();
  for (const file of readdirSync(join(SET, "en"))) {
    for (const chunk of chunks.get(file) ?? []) {
      for (const [, name = ""] of chunk.text.matchAll(/`([A-Za-z_./-]{6,40})`/g))
        places.set(name, (places.get(name) ?? new Set()).add(`${file}\n${sectionOf(chunk)}`));
    }
  }
  const all = [...chunks.values()].flat();
  const single = [...places].flatMap(([text, found]): Question[] => {
    const [place = ""] = found;
    const [file = "", section = ""] = place.split("\n");
    const holding = all.filter((chunk) => chunk.text.includes(text)).map(sectionOf);
    return section && new Set(holding).size === 1
      ? [{ group: "look-ups", text, file, section }]
      : [];
  });
  const step = Math.max(1, single.length / LOOK_UPS);
  return single.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}

/** The heading of the second level. */
const sectionOf = ({ headings }: Chunk): string => headings[1] ?? headings[0] ?? "";

type Way = "words" | "meaning" | "both";
const WAYS: readonly Way[] = ["words", "meaning", "both"];

export interface Quality {
  readonly group: string;
  readonly questions: number;
  readonly recall: Readonly<Record<Way, number>>;
  readonly mrr: Readonly<Record<Way, number>>;
}

export async function retrieval(): Promise<Quality[]> {
  const embedder = createEmbedder();
  const store = openSqliteStore({ file: join(temporaryFolder(), "retrieval.db"), native });
  try {
    const { model } = embedder;
    if (!model) throw new Error("this build has no embedded model");
    const chunks = await fill(
      store,
      async (texts) => (await model.passages.doEmbed({ values: texts })).embeddings,
    );
    const questions = [...writtenQuestions(), ...lookUps(chunks)];
    requireSections(questions, chunks);
    const ctx = {
      read: store.read,
      services: { embedded_model: model, log: console },
      signal: AbortSignal.timeout(600_000),
    } as unknown as SearchContext;
    const ranks = new Map<Question, Record<Way, number>>();
    for (const question of questions) ranks.set(question, await ranksOf(ctx, question));
    return [...Map.groupBy(questions, ({ group }) => group)].map(([group, asked]) => {
      const mean = (worth: (rank: number) => number) =>
        Object.fromEntries(
          WAYS.map((way) => {
            const worths = asked.map((question) => worth(ranks.get(question)?.[way] ?? Infinity));
            return [way, worths.reduce((sum, value) => sum + value, 0) / asked.length];
          }),
        ) as Record<Way, number>;
      const recall = mean((rank) => (rank <= 5 ? 1 : 0));
      return { group, questions: asked.length, recall, mrr: mean((rank) => 1 / rank) };
    });
  } finally {
    await embedder.close();
    await store.close();
  }
}

const base: KnowledgeBaseRecord = { id: "b", name: "b", created_at: AT, updated_at: AT };

async function fill(store: Store, embed: (texts: string[]) => Promise<number[][]>) {
  const { count } = createWordPieces(readVocabulary() ?? "");
  const all = new Map<string, readonly Chunk[]>();
  await store.write((tx) => tx.knowledge_bases.insert({ ...base, vector_space: SPACE }));
  let last_id = 0;
  for (const { file, text } of pages()) {
    const extraction = await chunksIn("md", Buffer.from(text), count);
    if ("problem" in extraction) throw new Error(extraction.problem);
    const { chunks } = extraction;
    all.set(file, chunks);
    const embeddings = await embed(chunks.map(withHeadings));
    const records = chunks.map((chunk) => {
      const index = textIndexOf(chunk.text);
      return {
        ...chunk,
        file_id: file,
        index,
        indexed_text: indexedText(index, withHeadings(chunk)),
      };
    });
    const vectors = embeddings.map((numbers) => {
      last_id += 1;
      return { chunk_id: last_id, vector: Float32Array.from(numbers) };
    });
    const counts = { file_size: 1, chunk_count: chunks.length, chunks_done: chunks.length };
    const about = { id: file, knowledge_base_id: base.id, file_name: file, file_type: "md" };
    await store.write(async (tx) => {
      await tx.knowledge_files.insert({ ...about, ...counts, status: "ready", created_at: AT });
      await tx.knowledge_chunks.insert(records);
      await tx.knowledge_chunks.insertVectors(file, SPACE, vectors);
    });
  }
  return all;
}

/** A set whose answers are not in the corpus would measure nothing. */
function requireSections(
  questions: readonly Question[],
  chunks: ReadonlyMap<string, readonly Chunk[]>,
): void {
  const missing = questions.filter(
    ({ file, section }) => !chunks.get(file)?.some((chunk) => chunk.headings.includes(section)),
  );
  if (missing.length > 0)
    throw new Error(`no passage answers: ${missing.map(({ text }) => text).join("; ")}`);
}

/** The place of the first passage of the right section; infinite when it is not among those looked at. */
async function ranksOf(ctx: SearchContext, question: Question): Promise<Record<Way, number>> {
  const { text: query, file, section } = question;
  const wanted = { query, limit: LOOKED_AT };
  const { knowledge_chunks } = ctx.read;
  const { embedded_model } = ctx.services;
  const embeddings = await embedded_model?.queries.doEmbed({ values: [query] });
  const nearest = await knowledge_chunks.matchMeaning({
    knowledge_base_ids: [base.id],
    space: SPACE,
    vector: Float32Array.from(embeddings?.embeddings[0] ?? []),
    limit: LOOKED_AT,
  });
  const named = new Map(
    (await knowledge_chunks.listNamed(nearest.map(({ id }) => id))).map((chunk) => [
      chunk.id,
      chunk,
    ]),
  );
  const found = {
    words: await searchKnowledge(ctx, [base], wanted),
    meaning: nearest.flatMap(({ id }) => named.get(id) ?? []),
    both: await searchKnowledge(ctx, [{ ...base, vector_space: SPACE }], wanted),
  };
  const rankOf = (way: Way): number => {
    const at = found[way].findIndex(
      (chunk) => chunk.file_name === file && chunk.headings.includes(section),
    );
    return at < 0 ? Infinity : at + 1;
  };
  return { words: rankOf("words"), meaning: rankOf("meaning"), both: rankOf("both") };
}

/** As rows of the whole benchmark: both ways together beside the better single one, or words alone. */
export function retrievalRows(found: readonly Quality[]): Row[] {
  return found.map(({ group, questions, recall }) => {
    const is_paraphrase = group === "paraphrases";
    const limit = is_paraphrase ? Math.max(recall.words, recall.meaning) : recall.words;
    return {
      what: `recall@5 of hybrid search, ${questions} ${group}; limit: ${is_paraphrase ? "words or meaning alone" : "words alone"}`,
      troupe: recall.both,
      limit,
      target: is_paraphrase ? "above" : "not below",
      reached: is_paraphrase ? recall.both > limit : recall.both >= limit,
    };
  });
}

if (process.argv[1] === import.meta.filename) {
  if (!existsSync(join(ROOT, "dist/embedding"))) throw new Error("run `npm run build` first");
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  console.log("| Questions | | words: recall@5, MRR | meaning | both |\n|---|---|---|---|---|");
  for (const { group, questions, recall, mrr } of await retrieval()) {
    const cells = WAYS.map((way) => `${percent(recall[way])}, ${mrr[way].toFixed(3)}`);
    console.log(`| ${group} | ${questions} | ${cells.join(" | ")} |`);
  }
}
