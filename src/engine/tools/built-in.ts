import type { DocumentationPage } from "../services.ts";
import { currentTime } from "./current-time.ts";
import { manageTasks } from "./manage-tasks.ts";
import { memoryTools } from "./memory.ts";
import { searchDocumentation } from "./search-documentation.ts";
import { showStructuredOutput } from "./show-structured-output.ts";
import type { Tool } from "./tool.ts";

/** Every tool that comes with the product; an agent has those that it lists. */
export const builtInTools = (documentation: () => readonly DocumentationPage[]): Tool[] => [
  currentTime,
  searchDocumentation(documentation),
  showStructuredOutput,
  manageTasks,
  ...memoryTools(),
];
