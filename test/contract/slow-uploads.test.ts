import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { listen } from "#server/listen.ts";
import { startTestApp } from "../support/app.ts";

const BODY_BEGINS = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\nHello`;
const WINDOW_MS = 15_000;

// Time passes for the server's patience alone: sockets and the database go on as ever.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

test("an upload that stands still is cut, and leaves nothing behind", async () => {
  const { http, signJwt, as } = await startTestApp();
  const admin = await as("admin");
  await admin.post("/knowledge-bases", { name: "manuals" });
  const files = async () => (await admin.get("/knowledge-bases/manuals/files")).body;
  const listener = await listen(http, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => listener.close());
  const token = await signJwt({ sub: "local-admin", scope: "admin" });

  const socket = connect(Number(new URL(listener.url).port), "127.0.0.1");
  const head = [
    "POST /api/v1/knowledge-bases/manuals/files HTTP/1.1",
    "Host: x",
    `Authorization: Bearer ${token}`,
    "Content-Type: multipart/form-data; boundary=b",
    "Content-Length: 1000000",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${BODY_BEGINS}`);
  await vi.waitFor(async () => expect(await files()).toHaveLength(1));
  vi.advanceTimersByTime(2 * WINDOW_MS);
  expect(await text(socket)).toContain("408 Request Timeout");
  await vi.waitFor(async () => expect(await files()).toEqual([]));
});
