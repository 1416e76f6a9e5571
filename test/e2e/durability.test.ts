import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { adminOf, freePort, run, type Server, serve, start } from "../support/executable.ts";
import { startModelServer } from "../support/model-server.ts";
import { deltaText, eventNames, parseFrames } from "../support/sse.ts";

async function prepare(server: Server, base_url: string, agent: object = {}) {
  const admin = await adminOf(server);
  await admin.json("POST", "/models", {
    name: "m",
    type: "openai_compatible",
    model_name: "x",
    base_url,
  });
  await admin.json("POST", "/agents", { name: "a", model: "m", system: "Help.", ...agent });
  await admin.json("POST", "/schemas", { name: "s", entry_agent_id: "a", chat_enabled: true });
  return admin;
}

type Admin = Awaited<ReturnType<typeof adminOf>>;

const messagesOf = async (admin: Admin, session_id: string | null) =>
  (await admin.json("GET", `/sessions/${session_id}/messages`)).body as {
    event_type: string;
    payload: { content: string };
  }[];

/** Waits for the session's turn by asking to go after it. */
async function nextAnswer(admin: Admin, session_id: string | null) {
  const response = await admin.send("POST", "/schemas/s/chat", { message: "and now?", session_id });
  return parseFrames(await response.text());
}

describe("kill -9 during a turn", () => {
  test("loses nothing that was acknowledged, and the next start goes on with the turn", async () => {
    const model = await startModelServer({ text: "First answer." }, { hold: "Half an" });
    const first = await serve();
    const admin = await prepare(first, model.base_url);
    const done = await admin.send("POST", "/schemas/s/chat", { message: "one" });
    const session_id = done.headers.get("X-Session-Id");
    await done.text();
    const running = await admin.send("POST", "/schemas/s/chat", { message: "two", session_id });
    await model.held();
    await first.kill9();
    await running.text().catch(() => undefined);

    model.release();
    model.script({ text: "Second answer." }, { text: "Third answer." });
    const second = await serve({ data_dir: first.data_dir });
    const again = await adminOf(second);
    const frames = await nextAnswer(again, session_id);
    expect(frames.at(-1)?.event).toBe("done");
    expect(
      (await messagesOf(again, session_id)).map(({ event_type, payload }) => [
        event_type,
        payload.content,
      ]),
    ).toEqual([
      ["user_message", "one"],
      ["assistant_message", "First answer."],
      ["user_message", "two"],
      ["assistant_message", "Second answer."],
      ["user_message", "and now?"],
      ["assistant_message", "Third answer."],
    ]);
    expect((await again.json("GET", `/sessions/${session_id}`)).body.status).toBe("completed");
  });

  test("takes up the messages that were waiting, too", async () => {
    const model = await startModelServer({ hold: "Half" });
    const first = await serve();
    const admin = await prepare(first, model.base_url);
    const running = await admin.send("POST", "/schemas/s/chat", { message: "one" });
    const session_id = running.headers.get("X-Session-Id");
    await model.held();
    const waiting = await admin.send("POST", "/schemas/s/chat", { message: "two", session_id });
    expect(waiting.status).toBe(200);
    await first.kill9();

    model.release();
    model.script({ text: "1" }, { text: "2" }, { text: "3" });
    const again = await adminOf(await serve({ data_dir: first.data_dir }));
    await nextAnswer(again, session_id);
    const contents = (await messagesOf(again, session_id)).map(({ payload }) => payload.content);
    expect(contents).toEqual(["one", "1", "two", "2", "and now?", "3"]);
    await Promise.allSettled([running.text(), waiting.text()]);
  });
});

describe("a client of a server that is restarted", () => {
  test.each(["kill9", "stop"] as const)("gets the whole answer after %s", async (how) => {
    const model = await startModelServer({ hold: "Half an" });
    const port = await freePort();
    const first = await serve({ port });
    const admin = await prepare(first, model.base_url);
    const { body: token } = await admin.json("POST", "/auth/tokens", {
      name: "t",
      scopes: ["chat"],
    });
    const place = ["--url", first.url, "--token", token.token];
    const chat = run(["chat", "s", "-m", "hi", "--json", ...place]);
    await model.held();
    if (how === "kill9") await first.kill9();
    else await first.stop({ twice: true });
    model.release();
    model.script({ text: "A whole answer." });
    await serve({ data_dir: first.data_dir, port });

    const { code, stdout, stderr } = await chat;
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.at(-1)).toMatchObject({ event: "result", message: "A whole answer." });
    expect(code).toBe(0);
    expect(stderr).toContain("Reconnecting");
  });
});

describe("a script that is interrupted", () => {
  test("stops the turn at the server, keeps what was said, and exits with 130", async () => {
    const model = await startModelServer({ hold: "Half an" });
    const server = await serve();
    const admin = await prepare(server, model.base_url);
    const chat = start(["chat", "s", "-m", "hi", "--url", server.url]);
    await chat.said("Half an");
    chat.interrupt();
    expect(await chat.finished).toMatchObject({ code: 130, stdout: "Half an\n" });
    const { body } = await admin.json("GET", "/sessions");
    const messages = await messagesOf(admin, body.data[0].id);
    expect(messages.map(({ payload }) => payload.content)).toEqual(["hi", "Half an"]);
  });
});

describe("a script whose server does not answer", () => {
  test("waits for the turn it would have to stop, and ends at a second Ctrl+C", async () => {
    const asked = Promise.withResolvers<void>();
    const silent = createServer(() => asked.resolve()).listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const { port } = silent.address() as AddressInfo;
    const place = ["--url", `http://127.0.0.1:${port}`, "--token", "bb_0"];
    const chat = start(["chat", "s", "-m", "hi", ...place]);
    await asked.promise;
    chat.interrupt();
    await chat.said("Ctrl+C again", "stderr");
    chat.interrupt();
    expect(await chat.finished).toMatchObject({ code: 130, stdout: "" });
  });
});

describe("a graceful stop", () => {
  test("lets a running turn end first", async () => {
    const model = await startModelServer({ hold: "Almost" });
    const server = await serve();
    const admin = await prepare(server, model.base_url);
    const answer = await admin.send("POST", "/schemas/s/chat", { message: "hi" });
    await model.held();
    const stopped = server.stop();
    model.release();
    expect(eventNames(parseFrames(await answer.text())).at(-1)).toBe("done");
    expect(await stopped).toBe(0);
  });
});

describe("a model server that fails", () => {
  const html = {
    status: 200,
    body: "<html><body>It works!</body></html>",
    type: "text/html",
  } as const;

  const broken = { status: 500, body: "<h1>Oops</h1>", type: "text/html" } as const;

  test("only for a moment is not noticed", async () => {
    const model = await startModelServer(broken, { text: "Here I am." });
    const server = await serve();
    const admin = await prepare(server, model.base_url);
    const answer = await admin.send("POST", "/schemas/s/chat", { message: "hi" });
    expect(deltaText(parseFrames(await answer.text()))).toBe("Here I am.");
  });

  test.each([
    [
      "is down",
      [],
      /cannot reach the model server at http:\/\/127\.0\.0\.1:\d+\/v1: connection refused/,
    ],
    [
      "refuses the key",
      [{ status: 401, body: '{"error":{"message":"bad key sk-test-secret"}}' }],
      /refused the key \(401\): bad key \[key\]/,
    ],
    [
      "does not know the model",
      [{ status: 404, body: '{"error":"no such model"}' }],
      /has no model "x" \(404\): no such model/,
    ],
    [
      "is overloaded for long",
      [{ status: 429, body: "slow down", headers: { "Retry-After": "60" } }],
      /over its limit \(429\)/,
    ],
    ["breaks again and again", [broken, broken, broken], /answered 500: Oops/],
    ["answers with a web page", [html], /can't be used/],
    ["answers rubbish", [{ raw: "data: {rubbish\n\n" }], /can't be used/],
    [
      "ends without an end",
      [{ raw: 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n' }],
      /can't be used|cut/,
    ],
    ["dies in the middle", [{ cut: "Half an" }], /cut|can't be used/],
  ] as const)(
    "%s: the stream ends with a clear error and the session stays usable",
    async (what, replies, message) => {
      const model = await startModelServer(...replies);
      const server = await serve();
      const admin = await prepare(server, model.base_url);
      await admin.json("PATCH", "/models/m", { api_key: "sk-test-secret" });
      if (what === "is down") await model.close();
      const answer = await admin.send("POST", "/schemas/s/chat", { message: "hi" });
      expect(answer.status).toBe(200);
      const last = parseFrames(await answer.text()).at(-1);
      expect(last).toMatchObject({ event: "error", data: { code: "model_error" } });
      expect(last?.data.message).toMatch(message);
      expect(last?.data.content).toBe(last?.data.message);
      expect((await fetch(`${server.url}/health`)).status).toBe(200);
      if (what === "is down") return;
      model.script({ text: "Better." });
      const next = await admin.send("POST", "/schemas/s/chat", {
        message: "hi",
        session_id: answer.headers.get("X-Session-Id"),
      });
      expect(deltaText(parseFrames(await next.text()))).toBe("Better.");
    },
  );
});

describe("a real provider", () => {
  test("is told the tools and the history, and its tool calls are carried out", async () => {
    const model = await startModelServer(
      { call: { tool: "current_time", input: { time_zone: "UTC" } } },
      { text: "Noon." },
    );
    const server = await serve();
    const admin = await prepare(server, model.base_url, {
      tools: ["current_time"],
      temperature: 0.5,
    });
    await admin.json("PATCH", "/models/m", { api_key: "sk-test", extra_body: { seed: 7 } });
    const answer = await admin.send("POST", "/schemas/s/chat", { message: "time?" });
    const frames = parseFrames(await answer.text());
    expect(eventNames(frames)).toEqual([
      "tool_call",
      "tool_result",
      "message_delta",
      "message",
      "done",
    ]);
    expect(frames.at(-1)?.data).toMatchObject({
      prompt_tokens: 20,
      completion_tokens: 10,
      total_tokens: 30,
      context_tokens: 10,
    });
    expect(model.requests[0]?.headers.authorization).toBe("Bearer sk-test");
    expect(model.requests[0]?.body).toMatchObject({
      model: "x",
      stream: true,
      seed: 7,
      temperature: 0.5,
      messages: [
        { role: "system", content: "Help." },
        { role: "user", content: "time?" },
      ],
      tools: [{ type: "function", function: { name: "current_time" } }],
    });
    const roles = model.requests[1]?.body.messages.map(({ role }: { role: string }) => role);
    expect(roles).toEqual(["system", "user", "assistant", "tool"]);
  });
});

describe("a command on a data directory without a server", () => {
  test("chats with an engine of its own", async () => {
    const server = await serve({ args: ["--demo"] });
    await server.stop();
    const place = ["--data-dir", server.data_dir];
    const chat = await run(["chat", "demo", "-m", "echo alone", ...place]);
    expect(chat).toMatchObject({ code: 0, stdout: "alone\n" });
    const piped = await run(["chat", "demo", "--json", ...place], { input: "echo piped" });
    const lines = piped.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ event: "session", session_id: expect.any(String) });
    expect(lines.at(-1)).toMatchObject({
      event: "result",
      message: "piped",
      session_id: lines[0].session_id,
    });
    const unknown = await run(["chat", "nowhere", "-m", "hi", ...place]);
    expect(unknown).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("there are: demo"),
    });
  });
});
