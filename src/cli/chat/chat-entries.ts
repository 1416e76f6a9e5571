import type { Citation } from "#engine/knowledge/citation.ts";
import type { Verdict } from "./approval-state.ts";
import type { AnswerText } from "./form-state.ts";
import type { Block } from "./interrupt.ts";
import { piecesOf } from "./markdown-stream.ts";

/** What stands in the transcript. An entry is shown once and never changes. */
export type EntryContent =
  | { readonly kind: "header" }
  | { readonly kind: "user"; readonly text: string }
  | {
      readonly kind: "assistant";
      readonly source: string;
      /** The first piece of an answer. */
      readonly opening: boolean;
      readonly continued: boolean;
    }
  | { readonly kind: "reasoning"; readonly text: string; readonly duration_ms?: number | undefined }
  | { readonly kind: "tool"; readonly call: ToolCall }
  /** What the answer above rests on. */
  | { readonly kind: "sources"; readonly sources: readonly Citation[] }
  | { readonly kind: "block"; readonly block: Block }
  | {
      readonly kind: "answered";
      readonly title: string;
      readonly answers: readonly AnswerText[];
    }
  | { readonly kind: "verdict"; readonly tool: string; readonly verdict: Verdict }
  | { readonly kind: "arguments"; readonly tool: string; readonly text: string }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "notice"; readonly text: string };

export type Entry = EntryContent & {
  readonly id: number;
  /** Shown with its details. */
  readonly expanded: boolean;
};

export interface ToolCall {
  readonly call_id: string;
  readonly tool: string;
  readonly arguments?: Readonly<Record<string, string>> | undefined;
  /** The arguments as the model wrote them. */
  readonly input?: string | undefined;
  readonly started_at: number;
  readonly result?: ToolResult | undefined;
}

export interface ToolResult {
  readonly content: string;
  readonly failed: boolean;
  readonly duration_ms?: number | undefined;
}

/** One answer as entries, a piece each. */
export const answerEntries = (text: string): EntryContent[] =>
  piecesOf(text).map((piece, index) => ({ kind: "assistant", ...piece, opening: index === 0 }));

export const FORM_LEFT = "The form was left without an answer.";
