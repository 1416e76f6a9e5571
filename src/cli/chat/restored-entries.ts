import type { PublicEvent } from "#engine/events/event.ts";
import { blockEntries } from "./asks.ts";
import {
  answerEntries,
  type EntryContent,
  FORM_LEFT,
  type ToolCall,
  type ToolResult,
} from "./chat-entries.ts";
import { answerTexts } from "./form-state.ts";
import { type Interrupt, needsAnswer, parseAnswers, parseInterrupt } from "./interrupt.ts";
import { type Cited, nextTurn, nothingCited, sourcesOf, withFound, withSaid } from "./sources.ts";

export interface RestoredSession {
  readonly entries: readonly EntryContent[];
  /** Forms that still wait for an answer. */
  readonly pending: readonly Interrupt[];
  /** What later answers may name, too. */
  readonly cited: Cited;
}

/** What is open while the events are gone through. */
interface Walk {
  readonly calls: Map<string, ToolCall>;
  readonly forms: Map<string, Interrupt>;
  cited: Cited;
  /** How an answer becomes entries. */
  toAnswer(text: string): EntryContent[];
}

/** A session as it was persisted; a call stands where its result came. */
export function restoreSession(
  events: readonly PublicEvent[],
  toAnswer: (text: string) => EntryContent[] = answerEntries,
): RestoredSession {
  const walk: Walk = { calls: new Map(), forms: new Map(), cited: nothingCited, toAnswer };
  const entries = events.filter(isTold).flatMap((event) => restoredEntries(event, walk));
  const unfinished = [...walk.calls.values()].map((call): EntryContent => ({ kind: "tool", call }));
  const sources = endTurn(walk);
  const pending = [...walk.forms.values()];
  return { entries: [...entries, ...unfinished, ...sources], pending, cited: walk.cited };
}

/** What the turn's answer rests on stands at its end. */
function endTurn(walk: Walk): EntryContent[] {
  const sources = sourcesOf(walk.cited);
  walk.cited = nextTurn(walk.cited);
  return sources.length === 0 ? [] : [{ kind: "sources", sources }];
}

/** Of a sub-agent's work only what asks a person, as in a stream. */
const isTold = ({ event_type, parent_call_id }: PublicEvent): boolean =>
  parent_call_id === undefined || event_type.startsWith("interrupt_");

function restoredEntries(event: PublicEvent, walk: Walk): EntryContent[] {
  const { calls, forms } = walk;
  const content = textOf(event.payload.content);
  switch (event.event_type) {
    case "user_message":
      return [...endTurn(walk), { kind: "user", text: content }, ...abandoned(forms)];
    case "assistant_message":
      walk.cited = withSaid(walk.cited, content);
      return walk.toAnswer(content);
    case "reasoning":
      return [{ kind: "reasoning", text: content }];
    case "system":
      return [{ kind: "notice", text: content }];
    case "tool_call":
      calls.set(event.call_id ?? event.id, restoredCall(event));
      return [];
    case "tool_result": {
      const call_id = event.call_id ?? event.id;
      const call = calls.get(call_id) ?? restoredCall(event);
      calls.delete(call_id);
      walk.cited = withFound(walk.cited, event.payload.citations);
      return [{ kind: "tool", call: { ...call, result: restoredResult(event, call) } }];
    }
    case "interrupt_request": {
      const form = interruptOf(event);
      if (needsAnswer(form.block)) forms.set(form.interrupt_id, form);
      return blockEntries(form.block);
    }
    case "interrupt_resume":
      return [...endTurn(walk), ...answered(content, event.call_id ?? "", forms)];
    default:
      return [];
  }
}

function interruptOf(event: PublicEvent): Interrupt {
  const { interrupt_id, block } = parseInterrupt(textOf(event.payload.content));
  return { kind: "interrupt", interrupt_id: interrupt_id ?? event.call_id ?? "", block };
}

function answered(content: string, call_id: string, forms: Walk["forms"]): EntryContent[] {
  const { interrupt_id = call_id } = parseInterrupt(content);
  const form = forms.get(interrupt_id);
  if (!form) return [];
  forms.delete(interrupt_id);
  const answers = answerTexts(form.block, parseAnswers(content));
  return [{ kind: "answered", title: form.block.title, answers }];
}

/** A message goes on without the answers. */
function abandoned(forms: Walk["forms"]): EntryContent[] {
  if (forms.size === 0) return [];
  forms.clear();
  return [{ kind: "notice", text: FORM_LEFT }];
}

const restoredCall = (event: PublicEvent): ToolCall => ({
  call_id: event.call_id ?? event.id,
  tool: textOf(event.payload.tool),
  arguments: argumentsOf(event.payload.arguments),
  started_at: Date.parse(event.created_at),
});

const restoredResult = ({ payload, created_at }: PublicEvent, call: ToolCall): ToolResult => ({
  content: textOf(payload.content),
  failed: payload.is_error === true,
  duration_ms: Math.max(0, Date.parse(created_at) - call.started_at),
});

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? "");

function argumentsOf(value: unknown): Record<string, string> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, textOf(each)]));
}

/** Where the last turn of a session begins, and whether it may still be running. */
export interface LastTurn {
  /** Its number in the session, from 1. */
  readonly number: number;
  /** What came before it, with what began it. */
  readonly before: readonly PublicEvent[];
}

/**
 * The turn that may still run, which its frames tell better than its events do: only they know of an
 * approval. `undefined` when the last event is how a turn ends.
 */
export function unfinishedTurn(events: readonly PublicEvent[]): LastTurn | undefined {
  const last = events.at(-1);
  if (!last || isEnd(last)) return undefined;
  const begun = beginnings(events);
  const first = begun.at(-1);
  if (first === undefined) return undefined;
  return { number: begun.length, before: events.slice(0, events.indexOf(first) + 1) };
}

/** What began the turns, one each. */
export const beginnings = (events: readonly PublicEvent[]): PublicEvent[] =>
  events.filter(
    ({ event_type }) => event_type === "user_message" || event_type === "interrupt_resume",
  );

const isEnd = ({ event_type, parent_call_id }: PublicEvent): boolean =>
  event_type === "interrupt_request" ||
  (event_type === "assistant_message" && parent_call_id === undefined);
