import { type ChildProcess, spawn } from "node:child_process";

/** Ends process groups when this process is gone, however it went: also when it was killed. */
export interface Guardian {
  watch(group: number): void;
  forget(group: number): void;
}

/**
 * A shell that reads which groups there are from a pipe. The pipe's end is this process's end, which no
 * signal can hide; then the shell ends what is left. It needs nothing but POSIX, so it works alike on Linux
 * and macOS, and it is given numbers only.
 */
const SCRIPT = `
trap '' INT TERM HUP QUIT PIPE
groups=' '
while read -r verb group; do
  case $verb in
    watch) groups="$groups$group " ;;
    forget) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
[ "$groups" = ' ' ] || sleep 1
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`;

export function createGuardian(): Guardian {
  const groups = new Set<number>();
  let shell: ChildProcess | undefined;

  const tell = (line: string): void => void shell?.stdin?.write(`${line}\n`);
  const start = (): void => {
    const started = spawn("/bin/sh", ["-c", SCRIPT], {
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"],
      // A signal to the group of this process, as from a terminal, is not for it.
      detached: true,
    });
    const lose = () => {
      if (shell === started) shell = undefined;
    };
    started.once("error", lose);
    started.once("exit", lose);
    started.stdin.on("error", lose);
    started.unref();
    (started.stdin as unknown as { unref(): void }).unref();
    shell = started;
    for (const group of groups) tell(`watch ${group}`);
  };

  // There are no process groups to end on Windows.
  if (process.platform === "win32") return { watch: () => undefined, forget: () => undefined };
  return {
    watch(group) {
      if (!shell) start();
      groups.add(group);
      tell(`watch ${group}`);
    },
    forget(group) {
      if (groups.delete(group)) tell(`forget ${group}`);
    },
  };
}
