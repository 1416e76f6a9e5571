import type { Key } from "ink";
import { type ComposerKey, composerKey } from "./composer-keys.ts";

/** What a key means while something is asked. */
export type AnswerKey =
  | ComposerKey
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "page"; readonly direction: "up" | "down" }
  | { readonly type: "back" | "next" | "leave" };

export function answerKey(input: string, key: Key): AnswerKey | undefined {
  if (key.escape) return { type: "leave" };
  if (key.tab) return { type: key.shift ? "back" : "next" };
  if (key.pageUp) return { type: "page", direction: "up" };
  if (key.pageDown) return { type: "page", direction: "down" };
  return composerKey(input, key);
}

/** Text, as somebody sends who was about to write a message. */
export const isTyping = ({ type }: AnswerKey): boolean => type === "insert" || type === "paste";
