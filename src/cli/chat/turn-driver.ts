import type { WireFrame } from "#engine/events/wire.ts";
import { type ChatPort, messageOf } from "./chat-session.ts";
import type { ChatAction } from "./chat-state.ts";

/** Frames that come within one drawing of the screen are handed on together. */
const FRAME_BATCH_MS = 33;

export type Dispatch = (action: ChatAction) => void;

/** Runs turns, one at a time, and tells the state what comes of them. */
export interface TurnDriver {
  /** Known at once, before the state is drawn again. */
  isRunning(): boolean;
  /** Resolves at the turn's end, whatever it was; failures are told to the state. */
  send(message: string, session_id: string | undefined): Promise<void>;
  /** At the server; a turn that is not accepted yet is stopped as soon as it is. */
  stop(): void;
}

export function createTurnDriver(port: ChatPort, dispatch: Dispatch): TurnDriver {
  let accepted: string | undefined;
  let stop_wanted = false;
  let is_running = false;

  const cancel = (session_id: string) => {
    port.cancel(session_id).catch((error: unknown) => {
      dispatch({
        type: "stop_failed",
        message: `The answer could not be stopped: ${messageOf(error)}`,
      });
    });
  };

  async function follow(message: string, session_id: string | undefined): Promise<void> {
    const batch = createBatch((frames) => dispatch({ type: "frames", frames, at: Date.now() }));
    const turn = await port.send(message, session_id, (change) => {
      batch.flush();
      dispatch({ type: "connection", change });
    });
    accepted = turn.session_id;
    dispatch({ type: "accepted", session_id: turn.session_id });
    if (stop_wanted) cancel(turn.session_id);
    try {
      for await (const frame of turn.frames) batch.push(frame);
    } finally {
      batch.flush();
    }
  }

  return {
    isRunning: () => is_running,
    async send(message, session_id) {
      is_running = true;
      accepted = undefined;
      stop_wanted = false;
      dispatch({ type: "sent", text: message, at: Date.now() });
      const failure = await follow(message, session_id).then(() => undefined, messageOf);
      is_running = false;
      dispatch({ type: "ended", at: Date.now(), failure });
    },
    stop() {
      stop_wanted = true;
      dispatch({ type: "stopping" });
      if (accepted !== undefined) cancel(accepted);
    },
  };
}

interface Batch {
  push(frame: WireFrame): void;
  flush(): void;
}

function createBatch(deliver: (frames: readonly WireFrame[]) => void): Batch {
  let frames: WireFrame[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (frames.length === 0) return;
    const ready = frames;
    frames = [];
    deliver(ready);
  };
  return {
    push(frame) {
      frames.push(frame);
      timer ??= setTimeout(flush, FRAME_BATCH_MS);
    },
    flush,
  };
}
