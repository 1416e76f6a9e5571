import type { AnswerKey } from "./answer-keys.ts";
import { keyTarget, takesKeys, takesText } from "./ask-focus.ts";
import { activeAsk, type Room } from "./asks.ts";
import type { Chat } from "./use-chat.ts";
import type { Composer } from "./use-composer.ts";

/** The keys of what is put over the composer: a search through earlier prompts, and what is asked. */
export interface QuestionKeys {
  /** Gives whether the key was for one of these, or for nobody. */
  press(key: AnswerKey | undefined): boolean;
  /** Empties the field of the question or ends the search; gives whether there was one. */
  clear(): boolean;
  /** Whether text is being written for one of these. */
  takesText(): boolean;
  /** Comes back to a question that was left. */
  open(): void;
  searchOlder(): void;
}

export function questionKeys(chat: Chat, composer: Composer, room: Room): QuestionKeys {
  const is_idle = () => composer.latest.current.value === "" && !composer.isSearching();

  const answer = (key: AnswerKey | undefined): boolean => {
    const state = chat.latest();
    const target = keyTarget(state, is_idle(), key, Date.now());
    if (target === "ask" && key) chat.answer(key, room);
    if (target !== "composer") return true;
    // Who writes on goes on writing, also when the text is empty for a moment.
    if (activeAsk(state) && state.focus === "auto")
      chat.dispatch({ type: "ask_focus", focus: "composer", at: Date.now() });
    return false;
  };

  const isAsked = () => takesKeys(chat.latest(), is_idle());

  return {
    takesText: () => composer.isSearching() || (isAsked() && takesText(chat.latest())),
    press: (key) => composer.pressSearch(key) || answer(key),
    clear() {
      if (composer.pressSearch({ type: "leave" })) return true;
      if (!isAsked()) return false;
      chat.answer({ type: "edit", edit: "clear" }, room);
      return true;
    },
    open() {
      composer.pressSearch({ type: "leave" });
      chat.dispatch({ type: "ask_focus", focus: "ask", at: 0 });
    },
    searchOlder() {
      if (!isAsked()) composer.searchOlder();
    },
  };
}
