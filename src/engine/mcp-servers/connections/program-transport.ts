import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { EngineError } from "../../kernel/error.ts";
import type { LaunchProgram, Program, RunningProgram } from "./launch.ts";

/** One message is one line; nobody has a reason to send a longer one. */
const LINE_BYTES_MAX = 8 * 1024 * 1024;
/** Of what a program last said to people, what is worth telling with its end. */
const LAST_WORDS_CHARACTERS = 500;

/**
 * The protocol over a program's input and output. The package's own transport for this leaves behind what
 * the program has started, and starts it with a shell's help on some platforms.
 */
export function createProgramTransport(launch: LaunchProgram, program: Program): Transport {
  const buffer = new ReadBuffer({ maxBufferSize: LINE_BYTES_MAX });
  let running: RunningProgram | undefined;
  let is_over = false;
  let last_words = "";

  const end = (): void => {
    if (is_over) return;
    is_over = true;
    buffer.clear();
    transport.onclose?.();
  };
  const tell = (error: unknown): void =>
    transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
  const takeOutput = (chunk: Uint8Array): void => {
    if (is_over) return;
    try {
      buffer.append(Buffer.from(chunk));
    } catch (error) {
      tell(error);
      void transport.close();
      return;
    }
    while (takeMessage());
  };
  /** What is no message is passed over. False when there is none left. */
  const takeMessage = (): boolean => {
    try {
      const message = is_over ? null : buffer.readMessage();
      if (message) transport.onmessage?.(message);
      return message !== null;
    } catch (error) {
      tell(error);
      return true;
    }
  };
  const transport: Transport = {
    async start() {
      running = await launch(program, {
        onOutput: takeOutput,
        onErrorOutput(text) {
          last_words = (last_words + text).slice(-LAST_WORDS_CHARACTERS);
        },
        onExit(how) {
          const said = last_words.trim() && `: ${last_words.trim()}`;
          transport.onerror?.(new EngineError("unavailable", `the program ended (${how})${said}`));
          end();
        },
      });
    },
    async send(message: JSONRPCMessage) {
      if (!running || is_over) throw new EngineError("unavailable", "the program is not running");
      await running.send(serializeMessage(message));
    },
    async close() {
      const stopped = running?.stop();
      end();
      await stopped;
    },
  };
  return transport;
}
