import { type Key, useApp, useInput, usePaste, useStdout } from "ink";
import { useRef, useState } from "react";
import { composerKey, type KeyPress, splitKeys } from "./composer-keys.ts";
import { PROMPT_COLUMNS } from "./live-layout.ts";
import { suspendProcess } from "./suspend.ts";
import type { Chat } from "./use-chat.ts";
import type { Composer } from "./use-composer.ts";

/** Within this time a second ctrl+c quits. */
const QUIT_WINDOW_MS = 2000;
const QUIT_HINT = "ctrl+c again to quit";

interface KeyTargets {
  readonly chat: Chat;
  readonly composer: Composer;
  readonly columns: number;
  readonly rows: number;
  quit(interrupted: boolean): void;
}

/** The keyboard: the chat's own keys first, all others write the message. Gives a hint to show. */
export function useKeys({ chat, composer, columns, rows, quit }: KeyTargets): string | undefined {
  const [hint, setHint] = useState<string>();
  const quit_until = useRef(0);
  const hint_timer = useRef<NodeJS.Timeout>(undefined);
  const { suspendTerminal } = useApp();
  const { write } = useStdout();

  const interrupt = () => {
    if (Date.now() < quit_until.current) return quit(chat.state.activity !== "idle");
    quit_until.current = Date.now() + QUIT_WINDOW_MS;
    composer.edit({ type: "clear" });
    setHint(QUIT_HINT);
    clearTimeout(hint_timer.current);
    hint_timer.current = setTimeout(() => setHint(undefined), QUIT_WINDOW_MS);
  };

  const stop = () => {
    if (chat.state.activity !== "idle") chat.stop();
    else if (composer.suggestions.length > 0) composer.edit({ type: "clear" });
  };

  /** Scrolls the screen away instead of erasing it: nothing of the transcript is lost. */
  const clearScreen = () => write(`${"\n".repeat(rows)}\u001B[2H`);

  const controls: Readonly<Record<string, () => void>> = {
    c: interrupt,
    l: clearScreen,
    o: chat.toggleDetails,
    z: () => void suspendTerminal(suspendProcess),
  };

  const compose = (input: string, key: Key) => {
    const pressed = composerKey(input, key);
    const message = pressed && composer.press(pressed, columns - PROMPT_COLUMNS);
    if (message !== undefined) chat.submit(message);
  };

  const press = ({ input, key }: KeyPress) => {
    const control = key.ctrl ? controls[input] : undefined;
    if (control) control();
    else if (key.ctrl && input === "d" && composer.latest.current.value === "") quit(false);
    else if (key.escape) stop();
    else if (key.tab) composer.complete();
    else compose(input, key);
  };

  useInput((input, key) => splitKeys(input, key).forEach(press));
  usePaste((text) => composer.edit({ type: "paste", text }));
  return hint;
}
