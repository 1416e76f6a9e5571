/** Long enough for the stop to happen; the clock goes on while the process is stopped. */
const STOP_MS = 100;

/**
 * Stops the whole job, as ctrl+z does in any program, until the shell brings it back. Where no shell
 * could bring it back the system ignores the stop, and so the chat goes on.
 */
export const suspendProcess = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, STOP_MS);
    if (process.platform !== "win32") process.kill(0, "SIGTSTP");
  });
