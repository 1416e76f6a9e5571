import { Text, useApp, useInput, useWindowSize } from "ink";
import { useCallback, useEffect, useState } from "react";
import { LOOK_EVERY_MS, type TaskList } from "../tasks/print-changes.ts";
import { paintLines } from "./paint.ts";
import { boardLines } from "./task-board-layout.ts";
import { type Environment, paintOptionsOf } from "./terminal-features.ts";

export interface TaskBoardProps {
  readonly place: string;
  readonly load: () => Promise<TaskList>;
  readonly environment: Environment;
}

/** Columns by status that follow what happens; q, escape and ctrl+c quit. */
export function TaskBoard({ place, load, environment }: TaskBoardProps) {
  const { exit } = useApp();
  const { columns, rows } = useWindowSize();
  const { list, problem } = useTasks(load);
  useInput((input, key) => {
    if (input === "q" || key.escape || (key.ctrl && input === "c")) exit();
  });
  const view = {
    tasks: list?.data ?? [],
    total: list?.total,
    place,
    problem,
    // The last column and row stay free: what ends there makes many terminals scroll.
    columns: Math.max(1, columns - 1),
    rows: Math.max(4, rows - 1),
    now: Date.now(),
  };
  return (
    <Text wrap="truncate-end">{paintLines(boardLines(view), paintOptionsOf(environment))}</Text>
  );
}

function useTasks(load: () => Promise<TaskList>) {
  const [list, setList] = useState<TaskList | undefined>();
  const [problem, setProblem] = useState<string | undefined>();
  const look = useCallback(async () => {
    try {
      setList(await load());
      setProblem(undefined);
    } catch (error) {
      setProblem(`${error instanceof Error ? error.message : String(error)}; trying again`);
    }
  }, [load]);
  useEffect(() => {
    void look();
    const timer = setInterval(() => void look(), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [look]);
  return { list, problem };
}
