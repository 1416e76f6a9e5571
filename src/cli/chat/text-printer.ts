import type { WireFrame } from "#engine/events/wire.ts";
import { type AskView, askLines } from "./ask-layout.ts";
import type { ToolCall } from "./chat-entries.ts";
import { type Ask, parseInterrupt } from "./interrupt.ts";
import { type Output, type Printer, write } from "./printer.ts";
import { createStreamSanitizer } from "./sanitize.ts";
import { sourceLines } from "./sources.ts";
import { type Line, lineText } from "./styled-line.ts";
import { toolLines } from "./tool-layout.ts";

/** A request to copy is not broken into rows. */
const UNBROKEN = 100_000;
/** Notes are cut to this, whatever shows them. */
const NOTE_COLUMNS = 100;

interface TextOutput {
  readonly stdout: Output;
  readonly stderr: Output;
}

/** The answer as it comes, and nothing else, on stdout; its sources on stderr, and a line for each tool on a terminal's. */
export function createTextPrinter({ stdout, stderr }: TextOutput): Printer {
  const answer = createAnswerWriter(stdout);
  const calls = new Map<string, ToolCall>();

  const noteTool = async (call: ToolCall) => {
    if (stderr.isTTY)
      await write(stderr, plainText(toolLines(call, { columns: NOTE_COLUMNS, expanded: false })));
  };

  return {
    start: () => Promise.resolve(),
    async print(frame: WireFrame) {
      if (frame.event === "message_delta") return answer.add(frame.data.content);
      if (frame.event === "message") return answer.complete(frame.data.content);
      await answer.pause();
      if (frame.event === "tool_call") {
        const { tool, call_id, arguments: values } = frame.data;
        calls.set(call_id, { tool, call_id, arguments: values, started_at: Date.now() });
      }
      if (frame.event === "tool_result") {
        const { tool, call_id, content, has_error: failed } = frame.data;
        const call = calls.get(call_id) ?? { tool, call_id, started_at: Date.now() };
        await noteTool({
          ...call,
          result: { content, failed, duration_ms: Date.now() - call.started_at },
        });
      }
    },
    async end({ sources = [] }) {
      await answer.pause();
      if (sources.length > 0) await write(stderr, plainText(sourceLines(sources, UNBROKEN)));
    },
  };
}

/** What the agent asks and how to answer, for those who see no more than text. */
export function askText(
  frame: WireFrame,
  session_id: string,
  view: Omit<AskView, "columns">,
): string {
  const ask = askOf(frame);
  if (!ask) return "";
  return plainText(askLines(ask, session_id, { columns: UNBROKEN, ...view }));
}

function askOf(frame: WireFrame): Ask | undefined {
  if (frame.event === "confirmation") {
    const { call_id, tool = "", content: question } = frame.data;
    return { kind: "confirmation", call_id, tool, question };
  }
  if (frame.event !== "interrupt_request") return undefined;
  const { interrupt_id, content } = frame.data;
  return { kind: "interrupt", interrupt_id, block: parseInterrupt(content).block };
}

const plainText = (lines: readonly Line[]): string =>
  lines.map((line) => `${lineText(line)}\n`).join("");

interface AnswerWriter {
  add(content: string): Promise<void>;
  complete(content: string): Promise<void>;
  /** Ends the line that is being written: something else comes. */
  pause(): Promise<void>;
}

function createAnswerWriter(stdout: Output): AnswerWriter {
  const sanitizer = createStreamSanitizer();
  let told = "";
  let is_paused = false;
  let is_line_open = false;

  const put = async (text: string) => {
    if (text === "") return;
    is_line_open = !text.endsWith("\n");
    await write(stdout, text);
  };
  const pause = async () => {
    await put(sanitizer.flush());
    if (is_line_open) await put("\n");
    is_paused = true;
  };
  const add = async (content: string) => {
    told = is_paused ? content : told + content;
    is_paused = false;
    await put(sanitizer.push(content));
  };

  return {
    add,
    pause,
    async complete(content) {
      if (content.startsWith(told)) {
        if (content.length > told.length) await put(sanitizer.push(content.slice(told.length)));
      } else {
        await pause();
        await put(sanitizer.push(content));
      }
      await pause();
      told = "";
    },
  };
}
