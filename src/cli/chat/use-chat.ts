import { useEffect, useMemo, useReducer } from "react";
import { type ChatState, initialState } from "./chat-model.ts";
import type { ChatPort } from "./chat-session.ts";
import { reduce } from "./chat-state.ts";
import { openSession, runCommand } from "./run-command.ts";
import { parseInput } from "./slash-commands.ts";
import { createTurnDriver, type Dispatch } from "./turn-driver.ts";

export interface Chat {
  readonly state: ChatState;
  readonly dispatch: Dispatch;
  /** A message, or a slash command. */
  submit(text: string): void;
  stop(): void;
  toggleDetails(): void;
}

interface ChatSetup {
  readonly port: ChatPort;
  /** The session to go on with. */
  readonly session_id?: string | undefined;
  readonly quit: (session_id: string | undefined) => void;
}

/** The chat's state and everything that moves it on. */
export function useChat({ port, session_id, quit }: ChatSetup): Chat {
  const [state, dispatch] = useReducer(reduce, {
    ...initialState,
    loading: session_id !== undefined,
  });
  const driver = useMemo(() => createTurnDriver(port, dispatch), [port]);

  useEffect(() => {
    if (session_id !== undefined) void openSession(session_id, { port, dispatch });
  }, [port, session_id]);

  const { activity, loading, queue, turn } = state;
  useEffect(() => {
    const [next] = queue;
    if (next === undefined || activity !== "idle" || loading || turn.outcome !== "done") return;
    if (driver.isRunning()) return;
    dispatch({ type: "queue_taken", count: 1 });
    void driver.send(next, state.session_id);
  }, [activity, loading, queue, turn.outcome, driver, state.session_id]);

  const submit = (text: string) => {
    const input = parseInput(text);
    if (input.type === "unknown") return dispatch({ type: "noted", text: input.hint });
    if (input.type === "command") {
      void runCommand(input.name, input.argument, {
        port,
        state,
        dispatch,
        quit: () => quit(state.session_id),
      });
    } else if (driver.isRunning() || loading) {
      dispatch({ type: "queued", text });
    } else {
      void driver.send(text, state.session_id);
    }
  };

  return {
    state,
    dispatch,
    submit,
    stop: driver.stop,
    toggleDetails: () => dispatch({ type: "details", expanded: !state.expanded }),
  };
}
