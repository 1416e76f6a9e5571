import type { ClientTurn } from "#cli/client.ts";
import { messageOf } from "./chat-session.ts";
import { type Output, type Printer, write } from "./printer.ts";
import { safeJson, sanitizeLine } from "./sanitize.ts";
import { askText, createTextPrinter } from "./text-printer.ts";
import { resultOf, startedTurn, type TurnProgress, withFrame } from "./turn-result.ts";

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

/** Success alone is 0, and only a turn that said it is done was one. */
const FAILED = 1;

/** Follows a turn to its end without a terminal. Gives the exit code. */
export async function runPlainChat(chat: PlainChat): Promise<number> {
  const { turn, json, stdout, stderr } = chat;
  const printer = json ? createJsonPrinter(turn.session_id, stdout) : createTextPrinter(chat);
  await printer.start();
  const result = resultOf(await follow(chat, printer));
  await printer.end(result);
  if (result.error) await write(stderr, `troupe: ${sanitizeLine(result.error.message)}\n`);
  return result.error ? FAILED : 0;
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
    }
    return progress;
  } catch (error) {
    return { ...progress, error: { code: "connection_lost", message: messageOf(error) } };
  }
}

const createJsonPrinter = (session_id: string, stdout: Output): Printer => ({
  start: () => write(stdout, `${safeJson({ event: "session", session_id })}\n`),
  print: ({ event, id, data }) => write(stdout, `${safeJson({ event, id, ...data })}\n`),
  end: (result) => write(stdout, `${safeJson({ event: "result", ...result })}\n`),
});
