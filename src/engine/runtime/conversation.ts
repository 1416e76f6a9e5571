import type { Event, EventPlace, Fact, Usage } from "../events/event.ts";
import { newUuid } from "../kernel/ids.ts";
import { type CitationRegister, createCitationRegister } from "../knowledge/citation.ts";
import type { Past } from "./past.ts";
import { evolve, newRun, type Run, remember } from "./run.ts";

/** A session as one turn sees it: the entry agent's run and those of the agents it spawned. */
export interface Conversation {
  readonly root: Run;
  /** By the call that spawned them. */
  readonly children: Map<string, Run>;
  /** Every call of the session: a provider may give the same id again. */
  readonly call_ids: Set<string>;
  /** Of the whole session, so that a number means one passage whichever turn or agent names it. */
  readonly citations: CitationRegister;
  /** Of this request, sub-agents included. */
  usage: Usage;
  /** Steps of this request, sub-agents included. */
  steps: number;
}

/**
 * Folds a session's events; only those of `turn_id` count as this turn's steps and calls. A past stands for
 * the events before them, and is this conversation's from then on.
 */
export function foldConversation(
  events: readonly Event[],
  { turn_id, agent_id }: { readonly turn_id: string; readonly agent_id: string },
  past?: Past,
): Conversation {
  const about = { id: undefined, agent_id, agent_name: undefined, parent_id: undefined };
  const root = { ...newRun(about), ...past?.remembered };
  const conversation: Conversation = {
    root,
    children: new Map(),
    call_ids: past?.call_ids ?? new Set(),
    citations: past?.citations ?? createCitationRegister(),
    usage: {},
    steps: 0,
  };
  for (const event of events) {
    if (event.type === "tool_call") conversation.call_ids.add(event.call_id);
    if (event.type === "tool_result") conversation.citations.add(event.payload.citations ?? []);
    if (event.turn_id === turn_id) {
      takeIn(conversation, runOf(conversation, event), event, Date.parse(event.created_at));
    } else if (event.run_id === undefined) {
      remember(root, event);
    }
  }
  return conversation;
}

/** What the session's next turn goes on with, when `last` is the last event of this one. */
export function toPast({ root, call_ids, citations }: Conversation, last: EventPlace): Past {
  const { digest, context_tokens, characters_per_token } = root;
  // A copy: what still comes of this turn must not reach the next one.
  const transcript = [...root.transcript];
  const remembered = { transcript, digest, context_tokens, characters_per_token };
  return { last, remembered, call_ids, citations };
}

/** Takes in one fact of this turn. */
export function takeIn(conversation: Conversation, run: Run, fact: Fact, at_ms: number): void {
  evolve(run, fact, at_ms);
  switch (fact.type) {
    case "step_finished":
      conversation.usage = addUsage(conversation.usage, fact.payload.usage);
      conversation.steps += 1;
      return;
    case "turn_finished":
      // A paused turn goes on with another request, which counts for itself.
      conversation.usage = {};
      conversation.steps = 0;
      return;
    default:
  }
}

/** Begins a sub-agent's run; the fact that says so is taken in by whoever records it. */
export function addChild(
  { children }: Conversation,
  about: { readonly id: string; readonly agent_id: string } & Pick<Run, "agent_name" | "parent_id">,
): Run {
  const run = newRun(about);
  children.set(about.id, run);
  return run;
}

/** Some servers send no id, or the same one again; a call must be told from every other. */
export function claimCallId({ call_ids }: Conversation, given: string): string {
  const call_id = given === "" || call_ids.has(given) ? newUuid() : given;
  // At once, not when it is recorded: another run of the turn may be offered the same id meanwhile.
  call_ids.add(call_id);
  return call_id;
}

export const allRuns = ({ root, children }: Conversation): Run[] => [root, ...children.values()];

/** A run and those that were spawned within it, however deep. */
export const runsWithin = (conversation: Conversation, run: Run): Run[] => [
  run,
  ...[...conversation.children.values()]
    .filter(({ parent_id }) => parent_id === run.id)
    .flatMap((child) => runsWithin(conversation, child)),
];

/** The run that has this call open. */
export const runWithCall = (conversation: Conversation, call_id: string): Run | undefined =>
  allRuns(conversation).find(({ pending }) => pending.has(call_id));

function runOf(conversation: Conversation, event: Event): Run {
  const { run_id, agent_id } = event;
  if (run_id === undefined) return conversation.root;
  const known = conversation.children.get(run_id);
  if (known) return known;
  const started = event.type === "run_started" ? event.payload : undefined;
  const { agent_name, parent_run_id } = started ?? {};
  return addChild(conversation, { id: run_id, agent_id, agent_name, parent_id: parent_run_id });
}

function addUsage(left: Usage, right: Usage): Usage {
  const add = (a: number | undefined, b: number | undefined) =>
    a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
  return {
    prompt_tokens: add(left.prompt_tokens, right.prompt_tokens),
    completion_tokens: add(left.completion_tokens, right.completion_tokens),
    cached_prompt_tokens: add(left.cached_prompt_tokens, right.cached_prompt_tokens),
  };
}
