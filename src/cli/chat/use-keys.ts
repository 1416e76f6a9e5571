import { type Key, useApp, useInput, usePaste, useStdout } from "ink";
import { type AnswerKey, answerKey } from "./answer-keys.ts";
import { activeAsk, keyTarget, takesKeys } from "./asks.ts";
import { composerKey, type KeyPress, splitKeys } from "./composer-keys.ts";
import { PROMPT_COLUMNS, roomOf } from "./live-layout.ts";
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

  const interrupt = () => {
    if (quitting.press()) quit(chat.state.activity !== "idle");
    else if (takesKeys(chat.latest(), is_empty())) clearField();
    else composer.edit({ type: "clear" });
  };

  const clearField = () => chat.answer({ type: "edit", edit: "clear" }, roomOf(columns, rows));

  const is_empty = () => composer.latest.current.value === "";

  const stop = () => {
    if (chat.state.activity !== "idle") chat.stop();
    else if (composer.suggestions.length > 0) composer.edit({ type: "clear" });
  };

  /** Scrolls the screen away instead of erasing it: nothing of the transcript is lost. */
  const clearScreen = () => write(`${"\n".repeat(rows)}\u001B[2H`);

  const controls: Readonly<Record<string, () => void>> = {
    c: interrupt,
    l: clearScreen,
    g: () => chat.dispatch({ type: "ask_focus", focus: "ask", at: 0 }),
    o: chat.toggleDetails,
    z: () => void suspendTerminal(suspendProcess),
  };

  const compose = (input: string, key: Key) => {
    const pressed = composerKey(input, key);
    const message = pressed && composer.press(pressed, columns - PROMPT_COLUMNS);
    if (message !== undefined) chat.submit(message);
  };

  /** Gives whether the key was for what is asked, or for nobody. */
  const answer = (key: AnswerKey | undefined): boolean => {
    const state = chat.latest();
    const target = keyTarget(state, is_empty(), key, Date.now());
    if (target === "ask" && key) chat.answer(key, roomOf(columns, rows));
    if (target !== "composer") return true;
    // Who writes on goes on writing, also when the text is empty for a moment.
    if (activeAsk(state) && state.focus === "auto")
      chat.dispatch({ type: "ask_focus", focus: "composer", at: Date.now() });
    return false;
  };

  const controlOf = ({ input, key }: KeyPress) => {
    if (key.ctrl && input === "d" && is_empty() && !takesKeys(chat.latest(), true))
      return () => quit(false);
    return key.ctrl ? controls[input] : undefined;
  };

  const press = ({ input, key }: KeyPress) => {
    const control = controlOf({ input, key });
    if (control !== interrupt) quitting.forget();
    if (control) control();
    else if (answer(answerKey(input, key))) return;
    else if (key.escape) stop();
    else if (key.tab) composer.complete();
    else compose(input, key);
  };

  useInput((input, key) => splitKeys(input, key).forEach(press));
  usePaste((text) => {
    if (!answer({ type: "paste", text })) composer.edit({ type: "paste", text });
  });
  return quitting.hint;
}
