import { type RefObject, useRef, useState } from "react";
import type { AnswerKey } from "./answer-keys.ts";
import type { PromptHistory } from "./chat-session.ts";
import type { ComposerKey } from "./composer-keys.ts";
import {
  type ComposerAction,
  type ComposerState,
  composedText,
  editComposer,
  emptyComposer,
} from "./composer-state.ts";
import { type HistorySearch, newSearch, pressSearch, searchOlder } from "./history-search.ts";
import { withPrompt } from "./prompt-history.ts";
import { matchingCommands, type SlashCommand } from "./slash-commands.ts";

export interface Composer {
  readonly state: ComposerState;
  readonly latest: Readonly<RefObject<ComposerState>>;
  readonly suggestions: readonly SlashCommand[];
  readonly selected: number;
  readonly search: HistorySearch | undefined;
  /** The earlier prompts, oldest first. */
  readonly prompts: readonly string[];
  edit(action: ComposerAction): void;
  /** Known at once, before it is drawn. */
  isSearching(): boolean;
  /** Begins a search through the earlier prompts, or goes on to an older one. */
  searchOlder(): void;
  /** Gives whether a search is on, which then takes every key. */
  pressSearch(key: AnswerKey | undefined): boolean;
  /** Does what the key means; gives the message when it was to send one. */
  press(key: ComposerKey, columns: number): string | undefined;
  /** Writes out the selected command. */
  complete(): SlashCommand | undefined;
}

/** The message that is being written, with its history and the commands it may become. */
export function useComposer(history: PromptHistory): Composer {
  const [shown, setShown] = useState(emptyComposer);
  const [selected, setSelected] = useState(0);
  const prompts = useRef(history.entries);
  /** Several keys may come before the screen is drawn again, and each needs what the last one left. */
  const latest = useRef(shown);

  const edit = (action: ComposerAction) => {
    latest.current = editComposer(latest.current, action);
    setShown(latest.current);
  };

  const search = useSearch(prompts, (text) => edit({ type: "set", text }));

  const choice = () => {
    const commands = matchingCommands(latest.current.value);
    return { commands, at: Math.min(selected, Math.max(0, commands.length - 1)) };
  };

  const send = (): string | undefined => {
    const text = composedText(latest.current).trimEnd();
    if (text.trim() === "") return undefined;
    edit({ type: "clear" });
    setSelected(0);
    const known = prompts.current;
    prompts.current = withPrompt(known, text);
    if (prompts.current !== known) void history.remember(text);
    return text;
  };

  const complete = () => {
    const { commands, at } = choice();
    const command = commands[at];
    if (command) edit({ type: "set", text: `/${command.name}${command.argument ? " " : ""}` });
    return command;
  };

  const enter = (): string | undefined => {
    const { value, cursor } = latest.current;
    if (complete()?.argument) return undefined;
    if (value[cursor - 1] !== "\\") return send();
    edit({ type: "backspace" });
    edit({ type: "insert", text: "\n" });
    return undefined;
  };

  const move = (direction: "up" | "down", columns: number) => {
    const { commands, at } = choice();
    const step = direction === "up" ? -1 : 1;
    if (commands.length > 1) setSelected((at + step + commands.length) % commands.length);
    else edit({ type: direction, columns, history: prompts.current });
  };

  const press = (key: ComposerKey, columns: number): string | undefined => {
    if (key.type === "enter") return enter();
    if (key.type === "move") move(key.direction, columns);
    if (key.type === "edit") edit({ type: key.edit });
    if (key.type === "insert") edit({ type: "insert", text: key.text });
    return undefined;
  };

  const { commands, at } = choice();
  return {
    state: shown,
    latest,
    suggestions: commands,
    selected: at,
    prompts: prompts.current,
    edit,
    press,
    complete,
    ...search,
  };
}

/** The search of ctrl+r; what is found is handed to `take`. */
function useSearch(prompts: Readonly<RefObject<readonly string[]>>, take: (text: string) => void) {
  const [search, setSearch] = useState<HistorySearch>();
  const current = useRef(search);
  const set = (next: HistorySearch | undefined) => {
    current.current = next;
    setSearch(next);
  };
  return {
    search,
    isSearching: () => current.current !== undefined,
    searchOlder() {
      set(current.current ? searchOlder(prompts.current, current.current) : newSearch);
    },
    pressSearch(key: AnswerKey | undefined): boolean {
      if (!current.current) return false;
      if (!key) return true;
      const { search: next, taken } = pressSearch(prompts.current, current.current, key);
      set(next);
      if (taken !== undefined) take(taken);
      return true;
    },
  };
}
