import type { ChatState } from "./chat-model.ts";
import type { ComposerState } from "./composer-state.ts";
import type { Scene } from "./entry-layout.ts";
import type { HistorySearch } from "./history-search.ts";
import type { SlashCommand } from "./slash-commands.ts";

/** Everything that the part of the screen that still changes is made of. */
export interface LiveView {
  readonly state: ChatState;
  readonly composer: ComposerState;
  /** Set while the earlier prompts are searched, in the composer's place. */
  readonly search?: HistorySearch | undefined;
  /** The earlier prompts, oldest first. */
  readonly prompts: readonly string[];
  readonly scene: Scene;
  readonly rows: number;
  /** The time, for how long things have been running. */
  readonly now: number;
  readonly spinner: string;
  readonly suggestions: readonly SlashCommand[];
  readonly selected: number;
  /** The question has the composer's place. */
  readonly is_asked: boolean;
  /** A short word to the person in place of the status. */
  readonly hint?: string | undefined;
}
