import { describe, expect, test } from "vitest";
import type { PublicEvent } from "#engine/events/event.ts";
import type { WireEvent, WireFrame } from "#engine/events/wire.ts";
import type { Citation } from "#engine/knowledge/citation.ts";
import { type ChatState, initialState } from "./chat-model.ts";
import { type ChatAction, reduce } from "./chat-state.ts";
import { entryLines } from "./entry-layout.ts";
import { sessionMarkdown } from "./export-markdown.ts";
import { restoreSession } from "./restored-entries.ts";
import { sourceLines, withFound } from "./sources.ts";
import { lineText } from "./styled-line.ts";

const citation = (number: number, more: Partial<Citation> = {}): Citation => ({
  number,
  file_name: `file-${number}.md`,
  file_id: `f${number}`,
  knowledge_base: "manuals",
  start: 0,
  end: 10,
  excerpt: "It says so.",
  ...more,
});

const frame = (event: WireEvent): WireFrame => ({ ...event, id: 1, turn_id: "turn" });
const says = (content: string) => frame({ event: "message", data: { content } });
const finds = (...citations: Citation[]) =>
  frame({
    event: "tool_result",
    data: { tool: "t", call_id: "c", content: "x", summary: "x", has_error: false, citations },
  });
const done = frame({ event: "done", data: { session_id: "s1" } });
const stopped = frame({
  event: "error",
  data: { code: "cancelled", content: "stopped", message: "stopped" },
});

function run(state: ChatState, ...frames: WireFrame[]): ChatState {
  const actions: ChatAction[] = [
    { type: "sent", text: "hello", at: 0 },
    { type: "frames", frames, at: 1 },
    { type: "ended", at: 2 },
  ];
  return actions.reduce(reduce, state);
}

const sourcesIn = ({ entries }: Pick<ChatState, "entries">): number[][] =>
  entries.flatMap((entry) =>
    entry.kind === "sources" ? [entry.sources.map(({ number }) => number)] : [],
  );

describe("the sources of an answer", () => {
  const three = [citation(1), citation(2), citation(3)];

  test("stand at its end: those it names", () => {
    const state = run(initialState, finds(...three), says("So [3], and [1]."), done);
    expect(state.entries.map(({ kind }) => kind)).toEqual([
      "header",
      "user",
      "tool",
      "assistant",
      "sources",
    ]);
    expect(sourcesIn(state)).toEqual([[1, 3]]);
  });

  test("are all that were found for an answer that names none", () => {
    expect(sourcesIn(run(initialState, finds(...three), says("So."), done))).toEqual([[1, 2, 3]]);
  });

  test("may be of an earlier turn, but only where the answer names them", () => {
    const first = run(initialState, finds(...three), says("So [1]."), done);
    expect(sourcesIn(run(first, says("As I said [2]."), done))).toEqual([[1], [2]]);
    expect(sourcesIn(run(first, says("You are welcome."), done))).toEqual([[1]]);
    const left = reduce(first, { type: "session_left" });
    expect(sourcesIn(run(left, says("A new start [2]."), done))).toEqual([[1]]);
  });

  test("of what was said between two searches count, too", () => {
    const frames = [
      says("Look:"),
      finds(citation(1)),
      says("[1]."),
      finds(citation(2)),
      says("[2]."),
    ];
    expect(sourcesIn(run(initialState, ...frames, done))).toEqual([[1, 2]]);
  });

  test("are told of an answer that was stopped, and not where nothing was answered", () => {
    expect(sourcesIn(run(initialState, finds(...three), says("So [1]"), stopped))).toEqual([[1]]);
    expect(sourcesIn(run(initialState, says("Look:"), finds(...three), done))).toEqual([]);
  });

  test.each([undefined, null, "x", [{}], [{ number: "1" }]])("are none of %j", (given) => {
    const cited = initialState.cited;
    expect(withFound(cited, given)).toBe(cited);
  });
});

describe("a session that was left", () => {
  const event = (
    event_type: PublicEvent["event_type"],
    payload: PublicEvent["payload"],
  ): PublicEvent => ({ id: "e", event_type, payload, created_at: "2026-01-01T00:00:00Z" });
  const session = [
    event("user_message", { content: "How long?" }),
    event("tool_result", { tool: "t", content: "x", citations: [citation(1), citation(2)] }),
    event("assistant_message", { content: "Two years [2]." }),
    event("user_message", { content: "Thanks" }),
    event("assistant_message", { content: "Any time." }),
  ];

  test("shows the sources where they stood, and later answers may name them", () => {
    const { entries, cited } = restoreSession(session);
    expect(entries.map(({ kind }) => kind)).toEqual([
      "user",
      "tool",
      "assistant",
      "sources",
      "user",
      "assistant",
    ]);
    const back = reduce(initialState, { type: "restored", session_id: "s1", events: session });
    expect(sourcesIn(run(back, says("Again [1]."), done))).toEqual([[2], [1]]);
    expect(cited.known.size).toBe(2);
  });

  test("is written down with them, and without giving a document's name a meaning", () => {
    const named = { file_name: "[x](http://x.test)*.md", page: 2 };
    const events = [
      event("tool_result", { tool: "t", content: "x", citations: [citation(1, named)] }),
      event("assistant_message", { content: "Two years [1]." }),
    ];
    expect(sessionMarkdown("support", "s1", events)).toContain(
      "## Answer\n\nTwo years [1].\n\n**Sources**\n\n- [1] \\[x\\](http://x.test)\\*.md · page 2\n",
    );
  });
});

describe("the list of sources", () => {
  const rows = (sources: readonly Citation[], columns = 60) =>
    sourceLines(sources, columns).map(lineText);

  test("names file, page and headings, and the same place once", () => {
    const reset = { file_name: "router.pdf", page: 2, heading_path: ["Router", "Reset"] };
    expect(rows([citation(1, reset), citation(2), citation(4, reset)])).toEqual([
      "Sources",
      "[1] [4] router.pdf · page 2, Router > Reset",
      "[2] file-2.md",
    ]);
  });

  test("is short, however many and however long they are", () => {
    const many = Array.from({ length: 14 }, (_, at) =>
      citation(at + 1, { heading_path: ["x".repeat(500)] }),
    );
    expect(rows(many)).toHaveLength(12);
    expect(rows(many).at(-1)).toBe("and 4 more");
    expect(rows(many, 30)[1]).toBe("[1] file-1.md · xxxxxxxxxxxxx…");
  });

  test("is harmless, whatever documents are called", () => {
    const hostile = citation(1, {
      file_name: "a\u001B]0;title\u0007b\n\u202Egpj.md",
      heading_path: ["\u001B[2JTop\u200B"],
    });
    expect(rows([hostile])).toEqual(["Sources", "[1] ab gpj.md · Top"]);
  });

  test("stands below its answer with an empty row between", () => {
    const { entries } = run(initialState, finds(citation(1)), says("So [1]."), done);
    const scene = { columns: 40, place: "", target: { schema: "support" } };
    const [answer, sources] = entries.slice(-2);
    if (!answer || !sources) throw new Error("there is no answer");
    expect(entryLines(sources, answer, scene).map(lineText)).toEqual([
      "",
      "  Sources",
      "  [1] file-1.md",
    ]);
  });
});
