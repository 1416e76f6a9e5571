import { PERFORM } from "./task-actions.ts";
import { ManageTasksInput, TASK_ACTIONS } from "./task-input.ts";
import { defineTool } from "./tool.ts";

/** The tasks of a session, for its agents (contract 4.16). */
export const manageTasks = defineTool({
  name: "manage_tasks",
  description: `Plan and track the work of this conversation as tasks: ${TASK_ACTIONS.join(", ")}. Start a task before you complete it.`,
  security_zone: "safe",
  // A creation has its call's own id, and a task that is already where it should be stays there.
  retry: "safe",
  input: ManageTasksInput,
  decode: parseTasks,
  execute: async (input, ctx) => ({ content: await PERFORM[input.action](input, ctx) }),
});

/** Models like to write a list as the JSON text of a list. */
function parseTasks(input: unknown): unknown {
  if (typeof input !== "object" || input === null || !("tasks" in input)) return input;
  if (typeof input.tasks !== "string") return input;
  try {
    return { ...input, tasks: JSON.parse(input.tasks) };
  } catch {
    return input;
  }
}
