import type { ClientTurn } from "#cli/client/client.ts";
import type { WireFrame } from "#engine/events/wire.ts";
import { type ChatPort, type FormReply, isGone, messageOf, type Watch } from "./chat-session.ts";
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
  /** The turn that the answers to a form begin; as `send` otherwise. */
  resume(session_id: string, reply: FormReply): Promise<void>;
  /** A turn that runs already, which was opened elsewhere. */
  join(turn: ClientTurn): Promise<void>;
  /** At the server; a turn that is not accepted yet is stopped as soon as it is. */
  stop(): void;
}

const BEGUN_BY: Readonly<Record<string, "message" | "answer">> = {
  sent: "message",
  resumed: "answer",
};

export function createTurnDriver(port: ChatPort, dispatch: Dispatch): TurnDriver {
  let accepted: string | undefined;
  let stop_wanted = false;
  let is_running = false;
  /** The one that is followed; of one that was left nothing more is told. */
  let current: ClientTurn | undefined;
  /** Set while a turn is followed that was begun elsewhere: nobody may be running it any more. */
  let leave: (() => void) | undefined;

  const cancel = async (session_id: string) => {
    try {
      if ((await port.cancel(session_id)) === "idle") leave?.();
    } catch (error) {
      const message = `The answer could not be stopped: ${messageOf(error)}`;
      dispatch({ type: "stop_failed", message });
    }
  };

  async function follow(begin: ChatAction, open: (watch: Watch) => Promise<ClientTurn>) {
    const batch = createBatch((frames) => dispatch({ type: "frames", frames, at: Date.now() }));
    const turn = await open((change) => {
      batch.flush();
      dispatch({ type: "connection", change });
    });
    accepted = turn.session_id;
    current = turn;
    dispatch({ type: "accepted", session_id: turn.session_id, begun_by: BEGUN_BY[begin.type] });
    if (stop_wanted) void cancel(turn.session_id);
    try {
      for await (const frame of turn.frames) {
        if (current !== turn) return;
        batch.push(frame);
      }
    } finally {
      batch.flush();
    }
  }

  async function run(begin: ChatAction, work: () => Promise<void>): Promise<unknown> {
    is_running = true;
    accepted = undefined;
    stop_wanted = false;
    dispatch(begin);
    const error = await work().then(() => undefined, toError);
    is_running = false;
    current = undefined;
    dispatch({ type: "ended", at: Date.now(), failure: error?.message });
    return error;
  }

  return {
    isRunning: () => is_running,
    async send(text, session_id) {
      const begin: ChatAction = { type: "sent", text, at: Date.now() };
      await run(begin, () => follow(begin, (watch) => port.send(text, session_id, watch)));
    },
    async resume(session_id, reply) {
      const begin: ChatAction = { type: "resumed", at: Date.now() };
      const error = await run(begin, () =>
        follow(begin, (watch) => port.resume(session_id, reply, watch)),
      );
      if (!isGone(error)) return;
      const { interrupt_id: key } = reply;
      dispatch({ type: "answer_failed", key, message: "", is_gone: true, at: Date.now() });
    },
    async join(turn) {
      const begin: ChatAction = { type: "joined", at: Date.now() };
      const left = Promise.withResolvers<void>();
      leave = () => left.reject(new Error("Nobody works on this answer at the moment."));
      await run(begin, () =>
        Promise.race([follow(begin, () => Promise.resolve(turn)), left.promise]),
      );
      leave = undefined;
    },
    stop() {
      stop_wanted = true;
      dispatch({ type: "stopping" });
      if (accepted !== undefined) void cancel(accepted);
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

const toError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(messageOf(thrown));
