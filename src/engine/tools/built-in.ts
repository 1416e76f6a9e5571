import type { DocumentationPage } from "../services.ts";
import { currentTime } from "./current-time.ts";
import { searchDocumentation } from "./search-documentation.ts";
import type { Tool } from "./tool.ts";

/** Every tool that comes with the product, by name; an agent has those that it lists. */
export const builtInTools = (
  documentation: () => readonly DocumentationPage[],
): ReadonlyMap<string, Tool> =>
  new Map([currentTime, searchDocumentation(documentation)].map((tool) => [tool.name, tool]));
