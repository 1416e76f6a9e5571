/**
 * An OpenAI-compatible server that streams 50 tokens a turn from memory. The model's name says how:
 * `instant`, `paced` (5 ms between tokens), `hold` (one token, then an open stream), `tools` (three tool
 * calls first) or `delegate` (a sub-agent first).
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const TOKENS = 50;
const PACE_MS = 5;

const frame = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const token = (index: number) =>
  frame({
    id: "1",
    object: "chat.completion.chunk",
    model: "mock",
    choices: [{ index: 0, delta: { content: ` word${index}` } }],
  });
const END =
  frame({ id: "1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
  frame({
    id: "1",
    choices: [],
    usage: { prompt_tokens: 20, completion_tokens: TOKENS, total_tokens: 20 + TOKENS },
  }) +
  "data: [DONE]\n\n";
const FRAMES = Array.from({ length: TOKENS }, (_, index) => token(index));

const call = (index: number, name: string, args: object) => ({
  index,
  id: `call${index}`,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});
const CALLS: Readonly<Record<string, object[]>> = {
  tools: [0, 1, 2].map((index) => call(index, "current_time", {})),
  delegate: [call(0, "spawn_instant", { description: "Say fifty words." })],
};

interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly role: string }[];
}

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const { model, messages } = JSON.parse(body) as Asked;
  const calls = CALLS[model];
  if (calls && messages.at(-1)?.role !== "tool") {
    const choices = [{ index: 0, delta: { tool_calls: calls }, finish_reason: "tool_calls" }];
    response.end(`${frame({ id: "1", choices })}data: [DONE]\n\n`);
    return;
  }
  await speak(response, model);
});

async function speak(response: ServerResponse, model: string): Promise<void> {
  if (model === "hold") {
    response.write(FRAMES[0]);
    return;
  }
  for (const text of FRAMES) {
    response.write(text);
    if (model === "paced") await new Promise((done) => setTimeout(done, PACE_MS));
  }
  response.end(END);
}

server.listen(0, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
