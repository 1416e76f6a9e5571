import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import { adminSession } from "#engine/kernel/principal.ts";
import { compose } from "../compose.ts";
import { createLog } from "../log.ts";
import type { ServiceConfig } from "../settings/settings.ts";
import type { Client } from "./client.ts";
import { behind, framesOf } from "./frame-queue.ts";

/** A turn that is running when the command ends gets so long; then it waits for the next process. */
const PATIENCE_MS = 2_000;

/** An engine in this process, on the data directory itself: works beside a running server, too. */
export async function openLocalClient(config: ServiceConfig): Promise<Client> {
  // What fails is the command's to tell: a warning beside it would be told twice, and tear what is drawn.
  const log = createLog({ level: "error", format: config.log_format, stream: process.stderr });
  const { engine, close } = await compose(config, { log, owner: `cli:${randomUUID()}` });
  const principal = adminSession(`cli:${userName()}`);
  let started: Promise<void> | undefined;
  // Somebody who chats does not expect that tasks begin, and stop again with the chat.
  const start = (takes_tasks = false) => {
    started ??= engine.start({ takes_tasks });
    return started;
  };
  return {
    place: config.data_dir,
    call: (operation, input) => engine.call(principal, operation, input),
    async chat(input) {
      await start();
      const turn = await engine.chat(principal, input);
      return { session_id: turn.session_id, frames: framesOf(turn) };
    },
    async join(session_id, number) {
      await start();
      const session = await engine.follow(principal, { id: session_id });
      return { session_id, frames: behind(number - 1, framesOf(session, number)) };
    },
    // What others do in this session happens in their processes.
    upcoming: async () => undefined,
    work: ({ takes_tasks = true } = {}) => start(takes_tasks),
    async close() {
      await engine.stop(PATIENCE_MS);
      await close();
    },
  };
}

/** Not every process has an entry in the user database. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}
