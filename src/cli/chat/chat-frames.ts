import type {
  ConfirmationData,
  DoneData,
  ErrorData,
  ToolResultData,
  WireFrame,
} from "#engine/events/wire.ts";
import { closeAsk, closeCall, openAsk } from "./asks.ts";
import { answerEntries, type EntryContent } from "./chat-entries.ts";
import {
  type ChatState,
  settle,
  settleAnswer,
  settleReasoning,
  withEntries,
  withSources,
} from "./chat-model.ts";
import { type Confirmation, parseInterrupt } from "./interrupt.ts";
import { feed } from "./markdown-stream.ts";
import { withFound, withSaid } from "./sources.ts";

/** What one event of a turn changes. */
export function reduceFrame(state: ChatState, frame: WireFrame, at: number): ChatState {
  switch (frame.event) {
    case "thinking":
      return think(settleAnswer(state), frame.data.content, at);
    case "message_delta":
      return write(settleReasoning(state, at), frame.data.content);
    case "message": {
      const { content } = frame.data;
      const said = complete(settleReasoning(state, at), content);
      return { ...said, cited: withSaid(state.cited, content) };
    }
    case "tool_call": {
      const { tool, call_id, arguments: values, input } = frame.data;
      const call = { tool, call_id, arguments: values, input, started_at: at };
      const settled = settle(state, at);
      return {
        ...settled,
        tools: [...settled.tools.filter((each) => each.call_id !== call_id), call],
      };
    }
    case "tool_result":
      return finishTool(settle(state, at), frame.data, at);
    case "confirmation":
      return openAsk(settle(state, at), confirmationOf(state, frame.data), at);
    case "interrupt_request": {
      const { block } = parseInterrupt(frame.data.content);
      const { interrupt_id } = frame.data;
      return openAsk(settle(state, at), { kind: "interrupt", interrupt_id, block }, at);
    }
    case "interrupt_resume":
      return closeAsk(settle(state, at), frame.data, at);
    case "done":
      return finishTurn(settle(state, at), frame.data);
    case "error":
      return failTurn(settle(state, at), frame.data);
  }
}

const think = (state: ChatState, content: string, at: number): ChatState => ({
  ...state,
  reasoning: state.reasoning + content,
  turn: { ...state.turn, reasoning_since: state.turn.reasoning_since ?? at },
});

function write(state: ChatState, content: string): ChatState {
  const { stream, finished } = feed(state.answer, content);
  const { answer_pieces } = state.turn;
  const pieces = finished.map(
    (piece, index): EntryContent => ({
      kind: "assistant",
      ...piece,
      opening: answer_pieces + index === 0,
    }),
  );
  return {
    ...withEntries(state, pieces),
    answer: stream,
    turn: { ...state.turn, answer_pieces: answer_pieces + pieces.length, closed_answer: 0 },
  };
}

/** The whole message: what the deltas left out is added, what they told already is not told again. */
function complete(state: ChatState, content: string): ChatState {
  const text = content.replaceAll("\r\n", "\n");
  const { answer, turn } = state;
  const is_told = answer.received === 0 && turn.closed_answer === text.length;
  if (is_told) return withoutClosed(state);
  const told_from = answer.received - answer.tail.length;
  if (text.startsWith(answer.tail, told_from)) {
    return withoutClosed(settleAnswer(write(state, text.slice(answer.received))));
  }
  return withoutClosed(withEntries(settleAnswer(state), answerEntries(text)));
}

const withoutClosed = (state: ChatState): ChatState => ({
  ...state,
  turn: { ...state.turn, closed_answer: 0 },
});

function finishTool(state: ChatState, result: ToolResultData, at: number): ChatState {
  const { call_id, tool, content, has_error } = result;
  const started = state.tools.find((each) => each.call_id === call_id);
  const call = started ?? { call_id, tool, started_at: at };
  // What is told at once, as when a turn is joined, says nothing about how long it took.
  const duration_ms = started && at > started.started_at ? at - started.started_at : undefined;
  const entry: EntryContent = {
    kind: "tool",
    call: { ...call, result: { content, failed: has_error, duration_ms } },
  };
  return {
    ...withEntries(closeCall(state, result, at), [entry]),
    cited: withFound(state.cited, result.citations),
    tools: state.tools.filter((each) => each.call_id !== call_id),
  };
}

function confirmationOf({ tools }: ChatState, data: ConfirmationData): Confirmation {
  const { call_id, content: question } = data;
  const call = tools.find((each) => each.call_id === call_id);
  const tool = data.tool ?? call?.tool ?? "";
  return { kind: "confirmation", call_id, tool, question, input: call?.input };
}

function finishTurn(state: ChatState, done: DoneData): ChatState {
  const { total_tokens = 0, context_tokens = state.usage.context_tokens } = done;
  const finished: ChatState = {
    ...withSources(state),
    session_id: done.session_id,
    usage: { total_tokens: state.usage.total_tokens + total_tokens, context_tokens },
    turn: { ...state.turn, outcome: "done" },
  };
  return state.activity === "stopping" ? stopped(finished) : finished;
}

function failTurn(state: ChatState, { code, message, content }: ErrorData): ChatState {
  if (code === "cancelled") return stopped(withSources(state));
  return {
    ...withEntries(state, [{ kind: "error", message: message || content }]),
    turn: { ...state.turn, outcome: "failed" },
  };
}

const stopped = (state: ChatState): ChatState => ({
  ...withEntries(state, [{ kind: "notice", text: "Stopped. What was written so far is kept." }]),
  turn: { ...state.turn, outcome: "stopped" },
});
