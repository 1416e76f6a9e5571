import { useAnimation, useApp, useIsScreenReaderEnabled, useStdout, useWindowSize } from "ink";
import { useEffect } from "react";
import { takesKeys } from "./ask-focus.ts";
import { activeAsk } from "./asks.ts";
import type { ChatPort, PromptHistory } from "./chat-session.ts";
import type { Scene } from "./entry-layout.ts";
import { Live } from "./live.tsx";
import { liveRegion } from "./live-layout.ts";
import { cutsWhenNarrower, type Environment, paintOptionsOf } from "./terminal-features.ts";
import { Transcript } from "./transcript.tsx";
import { type Chat, useChat } from "./use-chat.ts";
import { type Composer, useComposer } from "./use-composer.ts";
import { useKeys } from "./use-keys.ts";
import { useReflow } from "./use-reflow.ts";

export interface AppProps {
  readonly port: ChatPort;
  readonly session_id?: string | undefined;
  readonly history: PromptHistory;
  readonly environment: Environment;
  /** Told whenever the session changes. */
  readonly onSession: (session_id: string | undefined) => void;
}

/** Left by ctrl+c while an answer was being written. */
const INTERRUPTED = 130;
const SPINNER_MS = 100;
const SPINNER = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];

export function App({ port, session_id, history, environment, onSession }: AppProps) {
  const { exit } = useApp();
  const { write } = useStdout();
  const { columns: width, rows } = useWindowSize();
  /** The last column stays free: what ends there is broken differently by every terminal. */
  const columns = Math.max(1, width - 1);
  const chat = useChat({ port, session_id, write, quit: () => exit(0) });
  const composer = useComposer(history);
  const hint = useKeys({
    chat,
    composer,
    columns,
    rows,
    quit: (busy) => exit(busy ? INTERRUPTED : 0),
  });
  const spinner = useSpinner(chat.state.activity !== "idle");
  useReturnedQueue(chat, composer);

  const { state } = chat;
  useEffect(() => onSession(state.session_id), [onSession, state.session_id]);

  const scene: Scene = { columns, place: port.place, target: port.target, session_id };
  const paint = paintOptionsOf(environment);
  const { suggestions, selected } = composer;
  const region = liveRegion({
    state,
    composer: composer.state,
    search: composer.search,
    prompts: composer.prompts,
    scene,
    rows,
    now: Date.now(),
    spinner,
    suggestions,
    selected,
    is_asked: takesKeys(state, composer.state.value === "" && !composer.search),
    hint,
  });
  useReflow(region, !cutsWhenNarrower(environment));
  return (
    <>
      <Transcript entries={state.entries} scene={scene} paint={paint} />
      <Live region={region} paint={paint} />
    </>
  );
}

/** Nothing moves for those who have the screen read to them. */
function useSpinner(is_busy: boolean): string {
  const is_still = useIsScreenReaderEnabled();
  const { frame } = useAnimation({ interval: SPINNER_MS, isActive: is_busy && !is_still });
  return is_still ? "*" : (SPINNER[frame % SPINNER.length] ?? "");
}

/** What waited for a turn that failed, was stopped or asks something goes back to its writer. */
function useReturnedQueue({ state, dispatch }: Chat, { edit }: Composer): void {
  const { activity, queue, turn } = state;
  useEffect(() => {
    if (activity !== "idle" || queue.length === 0) return;
    if (turn.outcome === "done" && !activeAsk(state)) return;
    dispatch({ type: "queue_taken", count: queue.length });
    edit({ type: "insert", text: queue.join("\n") });
  });
}
