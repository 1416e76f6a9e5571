import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { cutSlowBodies } from "./slow-bodies.ts";

const WINDOW_MS = 15_000;
const PART = "x".repeat(70_000);

// Time passes for the server's patience alone: sockets go on as ever.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** A server that counts what it gets, and a request to it whose body is still to come. */
async function begun(type: string, length: number) {
  let received = 0;
  const server = createServer((request, response) => {
    request.on("data", (bytes: Buffer) => {
      received += bytes.length;
    });
    request.on("error", () => undefined);
    request.on("end", () => response.end("done"));
  });
  cutSlowBodies(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    answer += text;
  });
  const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${length}`;
  socket.write(`${head}\r\n\r\n`);
  return {
    /** Resolves when the server has it. */
    async send(text: string) {
      const expected = received + text.length;
      socket.write(text);
      await vi.waitFor(() => expect(received).toBe(expected));
    },
    answers: (text: string) => vi.waitFor(() => expect(answer).toContain(text)),
    closed: once(socket, "close"),
  };
}

test.each([
  ["an upload", "multipart/form-data; boundary=b", 5],
  ["a large import", "application/json", 16],
])("%s that gets on may take longer than any other request", async (_what, type, parts) => {
  const { send, answers } = await begun(type, parts * PART.length);
  for (let part = 1; part < parts; part += 1) {
    await send(PART);
    vi.advanceTimersByTime(WINDOW_MS);
  }
  await send(PART);
  await answers("done");
});

test.each([
  ["stands still", ""],
  ["drips", "x"],
])("an upload that %s is cut", async (_how, rest) => {
  const { send, answers, closed } = await begun("multipart/form-data; boundary=b", 1e6);
  await send(PART);
  vi.advanceTimersByTime(WINDOW_MS);
  await send(rest);
  vi.advanceTimersByTime(WINDOW_MS);
  await answers("408 Request Timeout");
  await closed;
});

test("any other body must be there in time, however well it gets on", async () => {
  const { send, answers, closed } = await begun("application/json", 1e6);
  await send(PART);
  vi.advanceTimersByTime(WINDOW_MS);
  await answers("408 Request Timeout");
  await closed;
});

test("an answer may take its time once the request is there", async () => {
  const { send, answers } = await begun("application/json", 2);
  await send("{}");
  vi.advanceTimersByTime(10 * WINDOW_MS);
  await answers("done");
});
