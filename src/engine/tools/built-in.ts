import { currentTime } from "./current-time.ts";
import { manageTasks } from "./manage-tasks.ts";
import { memoryTools } from "./memory.ts";
import { showStructuredOutput } from "./show-structured-output.ts";
import type { Tool } from "./tool.ts";

/** Every tool that comes with the product; an agent has those that it lists. */
export const builtInTools: readonly Tool[] = [
  currentTime,
  showStructuredOutput,
  manageTasks,
  ...memoryTools(),
];
