import { z } from "zod";
import type { KnowledgeConfig } from "../capabilities/capability.ts";
import { LIMITS } from "../kernel/limits.ts";
import { type FoundPassage, searchKnowledge } from "../knowledge/search.ts";
import type { Services } from "../services.ts";
import { defineTool, type Tool } from "./tool.ts";

const { default: FEW, max: MOST } = LIMITS.knowledge_search;

export const KNOWLEDGE_SEARCH = {
  name: "knowledge_search",
  description:
    "Search the documents you were given for passages that answer a question. Say in your answer which of them you used, by file and page or heading.",
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
  services: Pick<Services, "models" | "embedded_model" | "log">,
): Tool =>
  defineTool({
    ...KNOWLEDGE_SEARCH,
    retry: "safe",
    input: KnowledgeSearchInput,
    async execute({ query, file, limit }, { read, agent_id, signal }) {
      const bases = await read.knowledge_bases.listByAgent(agent_id);
      if (bases.length === 0) return { content: "No knowledge base is linked to this agent." };
      const { similarity_threshold, top_k = FEW } = config;
      const wanted = { query, file, similarity_threshold, limit: limit ?? Math.min(top_k, MOST) };
      const passages = await searchKnowledge({ read, services, signal }, bases, wanted);
      if (passages.length === 0)
        return { content: `No passage in the knowledge base matches: ${query}` };
      return { content: passages.map(present).join("\n\n---\n\n"), is_untrusted: true };
    },
  });

function present(passage: FoundPassage, index: number): string {
  return `[${index + 1}] Source: ${placeOf(passage)}\n\n${passage.text.trim()}`;
}

/** Where a reader finds it: file, page or headings, and characters of the file's text. */
export function placeOf({ file_name, page, headings, start, end }: FoundPassage): string {
  const titles = headings.filter(Boolean).join(" > ");
  const where = [page === undefined ? "" : `page ${page}`, titles].filter(Boolean).join(", ");
  return `${file_name}${where && ` - ${where}`} (characters ${start}-${end})`;
}
