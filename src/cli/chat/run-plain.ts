import { type ClientTurn, isServer } from "#cli/client/client.ts";
import { EXIT } from "#cli/output.ts";
import type { WireFrame } from "#engine/events/wire.ts";
import { messageOf } from "./chat-session.ts";
import { type Output, type Printer, write } from "./printer.ts";
import { safeJson, sanitizeLine } from "./sanitize.ts";
import { askText, createTextPrinter } from "./text-printer.ts";
import {
  resultOf,
  startedTurn,
  type TurnProgress,
  type TurnResult,
  withFrame,
} from "./turn-result.ts";

export interface PlainChat {
  readonly turn: ClientTurn;
  /** One JSON object a line: the session, every event, the result. */
  readonly json: boolean;
  /** Where the other side is, and the schema: named in what tells how to answer a question. */
  readonly place: string;
  readonly schema: string;
  /** The command line that opens the session in a terminal. */
  readonly resume_command: string;
  readonly stdout: Output;
  readonly stderr: Output;
}

/**
 * Follows a turn to its end without a terminal. Gives the exit code: 0 for a whole answer alone, and a code of its
 * own for a turn that waits for one.
 */
export async function runPlainChat(chat: PlainChat): Promise<number> {
  const { turn, json, stdout, stderr } = chat;
  const printer = json ? createJsonPrinter(turn.session_id, stdout) : createTextPrinter(chat);
  await printer.start();
  const result = resultOf(await follow(chat, printer));
  await printer.end(result);
  if (result.error) await write(stderr, `troupe: ${sanitizeLine(result.error.message)}\n`);
  if (result.error) return EXIT.failed;
  return result.paused ? EXIT.asked : EXIT.done;
}

async function follow(
  { turn, place, schema, resume_command, stderr }: PlainChat,
  printer: Printer,
): Promise<TurnProgress> {
  let progress = startedTurn(turn.session_id);
  try {
    for await (const frame of turn.frames) {
      progress = withFrame(progress, frame);
      await printer.print(frame);
      const question = askText(frame, turn.session_id, { place, schema, resume_command });
      if (question !== "") await write(stderr, question);
      const approval = approvalOf(frame);
      if (approval && !isServer(place)) return { ...progress, is_done: true, paused: approval };
    }
    return progress;
  } catch (error) {
    return { ...progress, error: { code: "connection_lost", message: messageOf(error) } };
  }
}

/** Nobody can give it to this process: the turn waits for the next one, as a form does. */
function approvalOf(frame: WireFrame): TurnResult["paused"] {
  if (frame.event !== "confirmation") return undefined;
  const { call_id, tool, content } = frame.data;
  return { interrupt_id: call_id, kind: "confirmation", call_id, tool, content };
}

const createJsonPrinter = (session_id: string, stdout: Output): Printer => ({
  start: () => write(stdout, `${safeJson({ event: "session", session_id })}\n`),
  print: ({ event, id, data }) => write(stdout, `${safeJson({ event, id, ...data })}\n`),
  end: (result) => write(stdout, `${safeJson({ event: "result", ...result })}\n`),
});
