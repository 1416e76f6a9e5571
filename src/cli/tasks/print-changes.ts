import { setTimeout as delay } from "node:timers/promises";
import { safeJson, sanitizeLine } from "../chat/sanitize.ts";
import { print } from "../output.ts";
import { patient } from "../patience.ts";
import type { ListedTask } from "./show-tasks.ts";

/** How often a board looks, so that it stays well below a limit of sixty requests a minute. */
export const LOOK_EVERY_MS = 2_000;

export interface TaskList {
  readonly data: readonly ListedTask[];
  readonly total: number;
}

/** Prints a line for each task, and one more whenever its status or priority changes, until SIGINT. */
export async function printChanges(load: () => Promise<TaskList>, json: boolean): Promise<void> {
  const seen = new Map<string, string>();
  const look = patient(load);
  for (;;) {
    const list = await look();
    for (const task of list?.data.toReversed() ?? []) {
      const state = `${task.status} ${task.priority}`;
      if (seen.get(task.id) === state) continue;
      seen.set(task.id, state);
      print(json ? safeJson(task) : lineOf(task));
    }
    await delay(LOOK_EVERY_MS);
  }
}

const lineOf = ({ id, status, priority, title }: ListedTask): string =>
  `${id}  ${status.padEnd(11)}  ${priority}  ${sanitizeLine(title)}`;
