import type { Fact, TrimPayload } from "../events/event.ts";
import { type Run, SHORTENED_LENGTH } from "./run.ts";

/** Before a provider has counted: cautious, so that other scripts than Latin fit too (contract 4.16). */
const CHARACTERS_PER_TOKEN = 2.5;
/** What one tells of another is within these, whatever a provider counted. */
const RATIO_MIN = 0.5;
const RATIO_MAX = 12;
/** Kept free for what an estimate gets wrong. */
const HEADROOM = 0.9;
/** Cut to here, so that not every step has to cut again and providers' caches stay of use. */
const TARGET = 0.7;
/** Roles, ids and punctuation around each fact. */
const OVERHEAD = 16;

/** So much of the context at most, and so many lines, tell of what was left out. */
const DIGEST_SHARE = 0.2;
const DIGEST_LINES = 20;
const DIGEST_LINE_LENGTH = 120;

/**
 * What has to go so that the next prompt fits into `max_context_size` tokens; undefined when all of it
 * fits or nothing can go. Whole exchanges leave from the front, so that a call never loses its result;
 * when the running one alone is too long, its oldest tool results are shortened. Pure.
 */
export function planTrim(
  run: Run,
  fixed_characters: number,
  max_context_size: number,
): TrimPayload | undefined {
  if (max_context_size === 0) return undefined;
  const limit = max_context_size * HEADROOM * ratioOf(run);
  const size = fixed_characters + charactersOf(run);
  if (size <= limit) return undefined;
  const { dropped, freed } = planDrop(run, size - limit * TARGET);
  const rest = run.transcript.slice(dropped);
  const shortened = planShortening(rest, size - freed - limit);
  if (dropped === 0 && shortened.length === 0) return undefined;
  return {
    content: describe(dropped, shortened.length, max_context_size),
    dropped,
    digest: digestOf(run, run.transcript.slice(0, dropped), limit * DIGEST_SHARE),
    shortened,
  };
}

const ratioOf = ({ characters_per_token = CHARACTERS_PER_TOKEN }: Run): number =>
  Math.min(RATIO_MAX, Math.max(RATIO_MIN, characters_per_token));

/** The length of what a run tells its model, system prompt and tools aside. */
export const charactersOf = ({
  transcript,
  digest = "",
}: Pick<Run, "transcript" | "digest">): number =>
  transcript.reduce((sum, fact) => sum + lengthOf(fact), digest.length);

function lengthOf(fact: Fact): number {
  switch (fact.type) {
    case "user_message":
    case "assistant_message":
    case "reasoning":
    case "system":
    case "tool_result":
      return fact.payload.content.length + OVERHEAD;
    case "tool_call":
      return fact.payload.input.length + fact.payload.tool.length + OVERHEAD;
    case "interrupt_resume":
      return JSON.stringify(fact.payload.payload ?? "").length + OVERHEAD;
    default:
      return 0;
  }
}

/** Up to the last message of a person: that one and what followed it is the running exchange. */
function planDrop({ transcript }: Run, excess: number): { dropped: number; freed: number } {
  let dropped = 0;
  let freed = 0;
  let passed = 0;
  for (const [index, fact] of transcript.entries()) {
    if (fact.type === "user_message" && index > 0) {
      dropped = index;
      freed = passed;
      if (freed >= excess) break;
    }
    passed += lengthOf(fact);
  }
  return { dropped, freed };
}

function planShortening(facts: readonly Fact[], excess: number): string[] {
  const shortened: string[] = [];
  let left = excess;
  for (const fact of facts) {
    if (left <= 0) break;
    if (fact.type !== "tool_result" || fact.payload.content.length <= SHORTENED_LENGTH * 2)
      continue;
    shortened.push(fact.call_id);
    left -= fact.payload.content.length - SHORTENED_LENGTH;
  }
  return shortened;
}

const DIGEST_HEAD =
  "Earlier parts of this conversation were left out to fit your context. The person said then:";

function digestOf({ digest = "" }: Run, dropped: readonly Fact[], room: number): string {
  const before = digest.split("\n").slice(1);
  const said = dropped.flatMap((fact) =>
    fact.type === "user_message" ? [`- ${firstLine(fact.payload.content)}`] : [],
  );
  const lines = [...before, ...said].slice(-DIGEST_LINES);
  while (lines.length > 1 && lines.join("\n").length > room) lines.shift();
  return lines.length === 0 ? "" : [DIGEST_HEAD, ...lines].join("\n");
}

function firstLine(text: string): string {
  const line = text
    .slice(0, DIGEST_LINE_LENGTH * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > DIGEST_LINE_LENGTH ? `${line.slice(0, DIGEST_LINE_LENGTH - 1)}…` : line;
}

function describe(dropped: number, shortened: number, max_context_size: number): string {
  const parts = [
    ...(dropped > 0 ? [`${dropped} earlier messages were left out`] : []),
    ...(shortened > 0 ? [`${shortened} tool results were shortened`] : []),
  ];
  return `To fit the context of ${max_context_size} tokens, ${parts.join(" and ")}.`;
}
