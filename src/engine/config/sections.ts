import type { Section, SectionKey } from "./section.ts";
import { agentSection } from "./sections/agents.ts";
import { knowledgeGraphSection } from "./sections/knowledge-graphs.ts";
import { mcpServerSection } from "./sections/mcp-servers.ts";
import { modelSection } from "./sections/models.ts";
import { schemaSection } from "./sections/schemas.ts";
import { toolSection } from "./sections/tools.ts";

/** What a document describes, in the order in which things refer to those before them. */
export const SECTIONS: readonly Section[] = [
  modelSection,
  mcpServerSection,
  toolSection,
  agentSection,
  schemaSection,
  knowledgeGraphSection,
];

export const sectionOf = (key: SectionKey): Section => {
  const section = SECTIONS.find((each) => each.key === key);
  if (!section) throw new Error(`no section is called ${key}`);
  return section;
};
