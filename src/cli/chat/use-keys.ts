import { type Key, useApp, useInput, usePaste, useStdout } from "ink";
import { answerKey } from "./answer-keys.ts";
import { composerKey, type KeyPress, splitKeys } from "./composer-keys.ts";
import { PROMPT_COLUMNS, roomOf } from "./live-layout.ts";
import { questionKeys } from "./question-keys.ts";
import { suspendProcess } from "./suspend.ts";
import type { Chat } from "./use-chat.ts";
import type { Composer } from "./use-composer.ts";
import { useQuit } from "./use-quit.ts";

interface KeyTargets {
  readonly chat: Chat;
  readonly composer: Composer;
  readonly columns: number;
  readonly rows: number;
  quit(interrupted: boolean): void;
}

/** The keyboard: the chat's own keys first, all others write the message. Gives a hint to show. */
export function useKeys({ chat, composer, columns, rows, quit }: KeyTargets): string | undefined {
  const quitting = useQuit();
  const { suspendTerminal } = useApp();
  const { write } = useStdout();

  const questions = questionKeys(chat, composer, roomOf(columns, rows));

  const interrupt = () => {
    if (quitting.press()) quit(chat.state.activity !== "idle");
    else if (!questions.clear()) composer.edit({ type: "clear" });
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
    g: questions.open,
    o: chat.toggleDetails,
    r: questions.searchOlder,
    z: () => void suspendTerminal(suspendProcess),
  };

  const compose = (input: string, key: Key) => {
    const pressed = composerKey(input, key);
    const message = pressed && composer.press(pressed, columns - PROMPT_COLUMNS);
    if (message !== undefined) chat.submit(message);
  };

  const controlOf = ({ input, key }: KeyPress) => {
    const is_empty = composer.latest.current.value === "" && !questions.takesText();
    if (key.ctrl && input === "d" && is_empty) return () => quit(false);
    return key.ctrl ? controls[input] : undefined;
  };

  const press = ({ input, key }: KeyPress) => {
    const control = controlOf({ input, key });
    if (control !== interrupt) quitting.forget();
    if (control) control();
    else if (questions.press(answerKey(input, key))) return;
    else if (key.escape) stop();
    else if (key.tab) composer.complete();
    else compose(input, key);
  };

  useInput((input, key) => splitKeys(input, key).forEach(press));
  usePaste((text) => {
    const pasted = { type: "paste", text } as const;
    if (!questions.press(pasted)) composer.edit(pasted);
  });
  return quitting.hint;
}
