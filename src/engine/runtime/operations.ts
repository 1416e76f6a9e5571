import { defineOperation } from "../operation.ts";
import { ChatInput, startChat } from "./chat.ts";
import { ChatAnswer, collect } from "./collect.ts";

/** The whole turn as one answer; a transport that can stream uses `Engine.chat` instead. */
export const chat = defineOperation({
  name: "schemas.chat",
  summary: "Send a message to a schema, and stream or collect what its agents answer",
  scope: "chat",
  effect: "write",
  input: ChatInput,
  output: ChatAnswer,
  run: async (ctx, input) => collect(await startChat(ctx, { ...input, stream: false }, {})),
});
