/** The time a turn may work. While it waits for a person, the clock stands still. */
export interface Deadline {
  /** 0 means no limit. */
  start(duration_ms: number): void;
  /** Stops the clock until the returned function is called; several may hold it. */
  hold(): () => void;
  isHeld(): boolean;
  clear(): void;
}

export function createDeadline(expire: () => void): Deadline {
  let left_ms: number | undefined;
  let started_ms = 0;
  let holders = 0;
  let timer: NodeJS.Timeout | undefined;

  const go = (): void => {
    if (left_ms === undefined) return;
    started_ms = performance.now();
    timer = setTimeout(expire, left_ms);
  };
  const stand = (): void => {
    clearTimeout(timer);
    if (left_ms !== undefined) left_ms -= performance.now() - started_ms;
  };

  return {
    start(duration_ms) {
      left_ms = duration_ms === 0 ? undefined : duration_ms;
      go();
    },
    hold() {
      if (holders === 0) stand();
      holders += 1;
      return () => {
        holders -= 1;
        if (holders === 0) go();
      };
    },
    isHeld: () => holders > 0,
    clear() {
      clearTimeout(timer);
      left_ms = undefined;
    },
  };
}
