import { z } from "zod";
import type { KnowledgeConfig } from "../capabilities/capability.ts";
import { LIMITS } from "../kernel/limits.ts";
import { type Citation, placeInFile } from "../knowledge/citation.ts";
import { whenFilled } from "../knowledge/filling.ts";
import { type FoundPassage, searchKnowledge } from "../knowledge/search.ts";
import type { Services } from "../services.ts";
import { defineTool, type Tool } from "./tool.ts";

const { default: FEW, max: MOST } = LIMITS.knowledge_search;

export const KNOWLEDGE_SEARCH = {
  name: "knowledge_search",
  description:
    "Search the documents you were given for passages that answer a question. Put the number of each passage you use in square brackets behind what you took from it, as in [2].",
  security_zone: "safe",
} as const;

const KnowledgeSearchInput = z.object({
  query: z.string().min(1).describe("the question in full, or what to look for"),
  limit: z.int().min(1).max(MOST).optional().describe("how many passages at most"),
  file: z.string().min(1).optional().describe("only files with this in their name"),
});

/** `config` is the agent's knowledge capability. */
export const knowledgeSearch = (
  config: KnowledgeConfig,
  services: Pick<Services, "models" | "embedded_model" | "log" | "indexing">,
): Tool =>
  defineTool({
    ...KNOWLEDGE_SEARCH,
    retry: "safe",
    input: KnowledgeSearchInput,
    async execute({ query, file, limit }, { read, now, agent_id, cite, signal }) {
      const bases = await read.knowledge_bases.listByAgent(agent_id);
      if (bases.length === 0) return { content: "No knowledge base is linked to this agent." };
      const { similarity_threshold, top_k = FEW } = config;
      const wanted = { query, file, similarity_threshold, limit: limit ?? Math.min(top_k, MOST) };
      const pending = await whenFilled({ read, now, services, signal }, bases);
      const passages = await searchKnowledge({ read, services, signal }, bases, wanted);
      const note = pending === 0 ? [] : [stillIndexed(pending)];
      if (passages.length === 0)
        return {
          content: [`No passage in the knowledge base matches: ${query}`, ...note].join("\n"),
        };
      const cited = passages.map((passage) => ({ ...passage, citation: cite(passage) }));
      const citations = cited.map(({ citation }) => citation);
      return {
        content: [...cited.map(present), ...note].join(BETWEEN),
        is_untrusted: true,
        citations,
      };
    },
  });

const stillIndexed = (pending: number): string =>
  `Not found yet: what is in ${pending} ${pending === 1 ? "file that is" : "files that are"} still being indexed.`;

const BETWEEN = "\n\n---\n\n";

function present({ text, citation }: FoundPassage & { citation: Citation }): string {
  const { number, file_name, start, end } = citation;
  const place = placeInFile(citation);
  const source = `${file_name}${place && ` - ${place}`} (characters ${start}-${end})`;
  return `[${number}] Source: ${source}\n\n${text.trim()}`;
}
