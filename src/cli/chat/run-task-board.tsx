import { render } from "ink";
import { TaskBoard, type TaskBoardProps } from "./task-board.tsx";

/** Runs until the person leaves or the terminal goes away. */
export async function runTaskBoard(props: TaskBoardProps): Promise<void> {
  const { stdin, stdout } = process;
  const app = render(<TaskBoard {...props} />, { exitOnCtrlC: false, incrementalRendering: true });
  const leave = () => app.unmount();
  stdin.once("end", leave).once("close", leave).once("error", leave);
  stdout.once("error", leave);
  try {
    await app.waitUntilExit();
  } finally {
    stdin.off("end", leave).off("close", leave).off("error", leave);
    stdout.off("error", leave);
  }
}
