import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { AnswerKey } from "./answer-keys.ts";
import { verdictText } from "./approval-state.ts";
import { activeAsk, findAsk, type OpenAsk, type Room } from "./asks.ts";
import { type ChatState, initialState } from "./chat-model.ts";
import { type ChatPort, isGone, messageOf } from "./chat-session.ts";
import { type ChatAction, reduce } from "./chat-state.ts";
import { askKey } from "./interrupt.ts";
import { resumeSession, runCommand } from "./run-command.ts";
import { parseInput } from "./slash-commands.ts";
import { createTurnDriver, type Dispatch, type TurnDriver } from "./turn-driver.ts";
import { useOtherTurns } from "./use-other-turns.ts";

export interface Chat {
  readonly state: ChatState;
  /** What the last action left, also before it is drawn: several keys may come at once. */
  latest(): ChatState;
  readonly dispatch: Dispatch;
  /** A message, or a slash command. */
  submit(text: string): void;
  /** A key for what is asked. */
  answer(key: AnswerKey, room: Room): void;
  stop(): void;
  toggleDetails(): void;
}

interface ChatSetup {
  readonly port: ChatPort;
  /** The session to go on with. */
  readonly session_id?: string | undefined;
  /** Writes past the screen. */
  readonly write: (sequence: string) => void;
  readonly quit: (session_id: string | undefined) => void;
}

/** The chat's state and everything that moves it on. */
export function useChat({ port, session_id, write, quit }: ChatSetup): Chat {
  const { state, latest, dispatch } = useLatestState(session_id !== undefined);
  const driver = useMemo(() => createTurnDriver(port, dispatch), [port, dispatch]);

  useEffect(() => {
    if (session_id !== undefined) void resumeSession(session_id, { port, dispatch, driver });
  }, [port, session_id, dispatch, driver]);

  useOtherTurns({ port, driver, dispatch, state, latest });

  const { activity, loading, queue, turn } = state;
  const is_asked = activeAsk(state) !== undefined;
  useEffect(() => {
    const [next] = queue;
    if (next === undefined || activity !== "idle" || loading || turn.outcome !== "done") return;
    if (driver.isRunning() || is_asked) return;
    dispatch({ type: "queue_taken", count: 1 });
    void driver.send(next, state.session_id);
  }, [activity, loading, queue, turn.outcome, is_asked, driver, dispatch, state.session_id]);

  const submit = (text: string) => {
    const input = parseInput(text);
    if (input.type === "unknown") return dispatch({ type: "noted", text: input.hint });
    if (input.type === "command") {
      void runCommand(input.name, input.argument, {
        port,
        state,
        dispatch,
        driver,
        write,
        quit: () => quit(state.session_id),
      });
    } else if (driver.isRunning() || loading) {
      dispatch({ type: "queued", text });
    } else {
      void driver.send(text, state.session_id);
    }
  };

  const answer = (key: AnswerKey, room: Room) => {
    const asked = activeAsk(latest());
    dispatch({ type: "ask_key", key, room });
    const open = asked && findAsk(latest(), askKey(asked.ask));
    if (open?.sent && !asked?.sent) void sendAnswer(open, { port, driver, dispatch, latest });
  };

  return {
    state,
    latest,
    dispatch,
    submit,
    answer,
    stop: driver.stop,
    toggleDetails: () => dispatch({ type: "details", expanded: !state.expanded }),
  };
}

/** As `useReducer`, but what an action leaves can be read at once. */
function useLatestState(loading: boolean) {
  const [state, setState] = useState<ChatState>({ ...initialState, loading });
  const current = useRef(state);
  const latest = useCallback(() => current.current, []);
  const dispatch = useCallback((action: ChatAction) => {
    current.current = reduce(current.current, action);
    setState(current.current);
  }, []);
  return { state, latest, dispatch };
}

interface AnswerContext {
  readonly port: ChatPort;
  readonly driver: TurnDriver;
  readonly dispatch: Dispatch;
  latest(): ChatState;
}

async function sendAnswer(open: OpenAsk, context: AnswerContext): Promise<void> {
  const { port, driver, dispatch, latest } = context;
  const { session_id } = latest();
  if (!open.sent || session_id === undefined) return;
  if (open.kind === "form") {
    const { interrupt_id } = open.ask;
    return driver.resume(session_id, { interrupt_id, answers: open.sent });
  }
  const key = askKey(open.ask);
  try {
    await port.respond(session_id, key, verdictText(open.sent));
    dispatch({ type: "verdict_taken", key, at: Date.now() });
  } catch (error) {
    const message = messageOf(error);
    dispatch({ type: "answer_failed", key, message, is_gone: isGone(error), at: Date.now() });
  }
}
