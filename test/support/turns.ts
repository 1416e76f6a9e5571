import { createAgent } from "#engine/agents/operations.ts";
import { adminSession } from "#engine/kernel/principal.ts";
import type { Caller } from "./app.ts";
import type { ChatApp } from "./chat.ts";
import { type Frame, parseFrames } from "./sse.ts";

/** A finished turn as a client of the stream saw it. */
export interface Answer {
  readonly session_id: string;
  readonly frames: Frame[];
  /** The data of the only frame with this name. */
  one(event: string): Frame["data"];
}

/** Sends a chat request to `support` and reads its stream to the end. */
export async function ask(caller: Caller, body: object): Promise<Answer> {
  const response = await caller.open("/schemas/support/chat", body);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return read(response);
}

export async function read(response: Response): Promise<Answer> {
  const frames = parseFrames(await response.text());
  return {
    session_id: response.headers.get("X-Session-Id") ?? "",
    frames,
    one(event) {
      const [frame, ...others] = frames.filter((other) => other.event === event);
      if (!frame || others.length > 0) throw new Error(`${others.length + 1} frames: ${event}`);
      return frame.data;
    },
  };
}

/** An agent that `helper` may delegate to. */
export async function addColleague(
  app: ChatApp,
  name: string,
  fields: object = {},
  source = "helper",
): Promise<void> {
  const principal = adminSession("test");
  await app.engine.call(principal, createAgent, { name, system: `I am ${name}.`, ...fields });
  const { status } = await app.admin.post("/schemas/support/agent-relations", {
    source,
    target: name,
  });
  if (status !== 201) throw new Error(`relation refused: ${status}`);
}

/** Resolves when the stream has sent a frame with this name; the rest is read later. */
export async function frameOf(app: ChatApp, session_id: string, event: string): Promise<Frame> {
  const response = await app.admin.openGet(`/sessions/${session_id}/events`);
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error(`the stream ended without ${event}`);
    text += decoder.decode(value as Uint8Array, { stream: true });
    const found = parseFrames(text).find((frame) => frame.event === event);
    if (!found) continue;
    await reader?.cancel();
    return found;
  }
}
