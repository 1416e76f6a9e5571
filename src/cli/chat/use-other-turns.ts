import { useEffect } from "react";
import type { ConnectionChange } from "#cli/client/client.ts";
import type { ChatState } from "./chat-model.ts";
import { type ChatPort, messageOf } from "./chat-session.ts";
import type { Dispatch, TurnDriver } from "./turn-driver.ts";

interface OtherTurns {
  readonly port: ChatPort;
  readonly driver: TurnDriver;
  readonly dispatch: Dispatch;
  readonly state: ChatState;
  latest(): ChatState;
}

/** While nothing happens here, what somebody else begins in the session is told as it comes. */
export function useOtherTurns({ port, driver, dispatch, state, latest }: OtherTurns): void {
  const { session_id, activity, loading } = state;
  const is_idle = activity === "idle" && !loading;
  useEffect(() => {
    if (session_id === undefined || !is_idle) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    void tellOthers(session_id, { port, driver, dispatch, latest }, signal).catch((error) => {
      if (!signal.aborted) dispatch({ type: "failed", message: messageOf(error) });
    });
    return () => leaving.abort();
  }, [session_id, is_idle, port, driver, dispatch, latest]);
}

async function tellOthers(
  session_id: string,
  { port, driver, dispatch, latest }: Omit<OtherTurns, "state">,
  signal: AbortSignal,
): Promise<void> {
  const watch = (change: ConnectionChange) => dispatch({ type: "connection", change });
  while (!signal.aborted) {
    const after = latest().seen;
    const turn = await port.upcoming(session_id, { after, signal, watch });
    if (!turn) return;
    const events = await port.history(session_id);
    // Somebody may have been quicker to write here: what was heard is an answer to that.
    const is_news = !driver.isRunning() && latest().seen === after;
    if (signal.aborted || !is_news) continue;
    dispatch({ type: "begun_elsewhere", events });
    await driver.join(turn);
  }
}
