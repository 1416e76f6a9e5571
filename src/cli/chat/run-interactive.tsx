import { render } from "ink";
import { App } from "./app.tsx";
import type { ChatPort, PromptHistory } from "./chat-session.ts";
import type { Environment } from "./terminal-features.ts";

export interface InteractiveChat {
  readonly port: ChatPort;
  /** The session to go on with. */
  readonly session_id?: string | undefined;
  readonly history: PromptHistory;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly environment: Environment;
}

export interface InteractiveResult {
  readonly exit_code: number;
  /** The session that was open last, for a hint on how to go on with it. */
  readonly session_id: string | undefined;
}

/** Bracketed paste off, cursor on: what a chat that ends in the middle of something may leave behind. */
const RESTORE_TERMINAL = "\u001B[?2004l\u001B[?25h";

/** Runs until the person leaves or the terminal goes away, and leaves the terminal as it was. */
export async function runInteractiveChat(chat: InteractiveChat): Promise<InteractiveResult> {
  const { port, history, stdin, stdout, stderr, environment } = chat;
  let session_id: string | undefined;
  const restore = () => {
    if (stdout.writable) stdout.write(RESTORE_TERMINAL);
  };
  process.once("exit", restore);
  const app = render(
    <App
      port={port}
      session_id={chat.session_id}
      history={history}
      environment={environment}
      onSession={(id) => {
        session_id = id;
      }}
    />,
    {
      stdin,
      stdout,
      stderr,
      exitOnCtrlC: false,
      incrementalRendering: true,
      interactive: true,
      kittyKeyboard: { mode: "auto" },
    },
  );
  /** A terminal that is closed sends no key any more. */
  const leave = () => app.unmount();
  stdin.once("end", leave).once("close", leave).once("error", leave);
  stdout.once("error", leave);
  try {
    const exit_code = await app.waitUntilExit();
    return { exit_code: typeof exit_code === "number" ? exit_code : 0, session_id };
  } finally {
    stdin.off("end", leave).off("close", leave).off("error", leave);
    stdout.off("error", leave);
    process.off("exit", restore);
    restore();
  }
}
