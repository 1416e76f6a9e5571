import { EXIT, note } from "./output.ts";

/**
 * A reader that has seen enough, as `head` has, ends the program quietly. To be called once, before
 * anything is written: Node asks for no signal when a pipe closes and throws an error instead.
 */
export function endWhenOutputCloses(): void {
  process.stdout.on("error", (error) => {
    leaveIfClosed(error);
    note(`troupe: the output cannot be written: ${error.message}`);
    process.exit(EXIT.failed);
  });
  // A full disk below the log has nowhere to be told, and is no reason to stop serving.
  process.stderr.on("error", leaveIfClosed);
}

function leaveIfClosed(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(EXIT.unread);
}
