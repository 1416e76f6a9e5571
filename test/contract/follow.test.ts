import { describe, expect, test } from "vitest";
import { startChatApp } from "../support/chat.ts";
import { type Frame, parseFrames } from "../support/sse.ts";

/** Reads an open stream until so many turns have ended, and lets go of it. */
async function readTurns(response: Response, turns = 1): Promise<Frame[]> {
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString("utf8");
    const frames = parseFrames(text);
    if (frames.filter(({ event }) => event === "done").length === turns) return frames;
  }
  return parseFrames(text);
}

async function startFollowed() {
  const app = await startChatApp([{ text: "one two" }, { text: "three four" }]);
  const token = await app.signJwt({ sub: "local-admin", scope: "admin" });
  const follow = (session_id: string | null, headers: Record<string, string> = {}, query = "") =>
    app.fetch(`/sessions/${session_id}/events${query}`, {
      headers: { Authorization: `Bearer ${token}`, ...headers },
    });
  return { ...app, follow };
}

describe("following a session", () => {
  test("replays what was durable, and goes on with the next turn as it happens", async () => {
    const { admin, follow } = await startFollowed();
    const first = await admin.post("/schemas/support/chat", { message: "hi" });
    const session_id = first.headers.get("X-Session-Id");
    const stream = await follow(session_id);
    expect(stream.headers.get("Content-Type")).toBe("text/event-stream");
    const second = await admin.post("/schemas/support/chat", { message: "more", session_id });

    const frames = await readTurns(stream, 2);
    const live = parseFrames(second.text);
    const replayed = parseFrames(first.text).filter(({ event }) => event !== "message_delta");
    expect(frames).toEqual([...replayed, ...live]);
  });

  test.each(["header", "query"])("begins behind the frame that the %s names", async (where) => {
    const { admin, follow } = await startFollowed();
    const first = await admin.post("/schemas/support/chat", { message: "hi" });
    const session_id = first.headers.get("X-Session-Id");
    const seen = parseFrames(first.text)[0]?.id ?? "";
    const stream =
      where === "header"
        ? await follow(session_id, { "Last-Event-ID": seen })
        : await follow(session_id, {}, `?after=${seen}`);
    const frames = await readTurns(stream);
    expect(frames.map(({ event }) => event)).toEqual(["message", "done"]);
  });

  test("says where what is there already ends, and what comes next begins", async () => {
    const { admin, follow } = await startFollowed();
    const first = await admin.post("/schemas/support/chat", { message: "hi" });
    const session_id = first.headers.get("X-Session-Id");
    const last = parseFrames(first.text).at(-1)?.id;
    for (const query of ["", `?after=${last}`]) {
      const stream = await follow(session_id, {}, query);
      expect(stream.headers.get("X-Resume-Id")).toBe(last);
      await stream.body?.cancel();
    }
  });

  test("gets the deltas of the running step that it has not seen", async () => {
    const { admin, model, follow } = await startFollowed();
    const session_id = "88888888-8888-4888-8888-888888888888";
    await admin.post("/schemas/support/chat", { message: "hi", session_id });
    await admin.post("/schemas/support/chat", { message: "hi", session_id });
    model.script({ text: "alpha beta gamma", hold: true });
    const answer = await admin.open("/schemas/support/chat", { message: "go", session_id });
    await model.held();
    const reader = answer.body?.getReader();
    let text = "";
    while (!text.includes("gamma")) text += Buffer.from((await reader?.read())?.value ?? []);
    const [first] = parseFrames(text);
    await reader?.cancel();

    const stream = await follow(session_id, { "Last-Event-ID": first?.id ?? "" });
    model.release();
    const frames = await readTurns(stream);
    expect(frames.map(({ data }) => data.content)).toEqual([
      "beta gamma",
      "alpha beta gamma",
      undefined,
    ]);
  });

  test("is refused for a malformed place, an unknown session and another's session", async () => {
    const { admin, asUser, follow } = await startFollowed();
    const session_id = "88888888-8888-4888-8888-888888888888";
    expect((await follow(session_id)).status).toBe(404);
    await admin.post("/schemas/support/chat", { message: "hi", session_id });
    for (const place of ["abc", "-1", "1.5", "1e3", "9".repeat(40)]) {
      expect((await follow(session_id, { "Last-Event-ID": place })).status).toBe(400);
    }
    expect((await follow("7")).status).toBe(400);
    const stranger = await asUser("bob");
    expect((await stranger.get(`/sessions/${session_id}/events`)).status).toBe(404);
  });
});
