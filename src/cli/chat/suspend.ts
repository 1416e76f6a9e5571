/** Stops the whole job, as ctrl+z does in any program, until the shell brings it back. */
export const suspendProcess = (): Promise<void> =>
  new Promise((resolve) => {
    if (process.platform === "win32") return resolve();
    process.once("SIGCONT", resolve);
    process.kill(0, "SIGTSTP");
  });
