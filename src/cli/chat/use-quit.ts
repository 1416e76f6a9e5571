import { useEffect, useRef, useState } from "react";

/** Within this time a second ctrl+c quits. */
const QUIT_WINDOW_MS = 2000;
const QUIT_HINT = "ctrl+c again to quit";

interface Quit {
  /** A word to the person while a second press would quit. */
  readonly hint: string | undefined;
  /** Gives whether this press is the second one. */
  press(): boolean;
  /** Another key came between. */
  forget(): void;
}

/** Two presses in a row quit, the first alone does not. */
export function useQuit(): Quit {
  const [hint, setHint] = useState<string>();
  const timer = useRef<NodeJS.Timeout>(undefined);

  const forget = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    setHint(undefined);
  };
  useEffect(() => () => clearTimeout(timer.current), []);

  const press = () => {
    if (timer.current !== undefined) return true;
    timer.current = setTimeout(forget, QUIT_WINDOW_MS);
    setHint(QUIT_HINT);
    return false;
  };

  return { hint, press, forget };
}
