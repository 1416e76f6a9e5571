import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "#server/listen.ts";
import { type ChatApp, startChatApp } from "../support/chat.ts";

/** All that comes over a connection until the server closes it. */
async function untilClosed(app: ChatApp, head: readonly string[], body = ""): Promise<string> {
  const listener = await listen(app.http, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => listener.closeNow());
  const token = await app.signJwt({ sub: "local-admin", scope: "admin" });
  const socket = connect(Number(new URL(listener.url).port), "127.0.0.1");
  const about = [
    "Host: x",
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${[...head, ...about].join("\r\n")}\r\n\r\n${body}`);
  return text(socket);
}

const CHAT = "POST /api/v1/schemas/support/chat";
const message = JSON.stringify({ message: "hi" });

test("a client that speaks HTTP/1.0 is sent no chunks, and the stream's end closes the connection", async () => {
  const app = await startChatApp([{ text: "Hello." }]);
  const answer = await untilClosed(app, [`${CHAT} HTTP/1.0`], message);
  const [head, frames] = answer.split("\r\n\r\n", 2);
  expect(head).not.toMatch(/transfer-encoding|keep-alive/i);
  expect(frames).toMatch(/^: ok\n\nid: .*\n\n$/s);
});

test("a client that asks for it has its connection closed behind the stream", async () => {
  const app = await startChatApp([{ text: "Hello." }]);
  const answer = await untilClosed(app, [`${CHAT} HTTP/1.1`, "Connection: close"], message);
  expect(answer).toMatch(/transfer-encoding: chunked/i);
  expect(answer).toMatch(/event: done.*\r\n0\r\n\r\n$/s);
});

test("asking for the head of a session's stream follows nothing", async () => {
  const app = await startChatApp([{ text: "Hello." }]);
  const { body } = await app.admin.post("/schemas/support/chat", { message: "hi", stream: false });
  const path = `/api/v1/sessions/${body.session_id}/events`;
  const answer = await untilClosed(app, [`HEAD ${path} HTTP/1.1`, "Connection: close"]);
  expect(answer).toMatch(/^HTTP\/1.1 200 .*content-type: text\/event-stream.*\r\n\r\n$/s);
  const metrics = await (await app.fetch("/metrics")).text();
  expect(metrics).toContain("troupe_streams_open 0");
});
