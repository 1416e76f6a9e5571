/**
 * The limit: what a turn costs with nothing but a route, a call to the model, a frame a token, and one
 * SQLite transaction that keeps both messages.
 */
import { serve } from "@hono/node-server";
import Database from "better-sqlite3";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";

const [model_url = "", file = ":memory:"] = process.argv.slice(2);

const database = new Database(file);
database.pragma("journal_mode = WAL");
database.pragma("synchronous = NORMAL");
database.exec(
  "CREATE TABLE messages (id INTEGER PRIMARY KEY, session TEXT, role TEXT, content TEXT)",
);
const insert = database.prepare("INSERT INTO messages (session, role, content) VALUES (?, ?, ?)");
const keep = database.transaction((session: string, asked: string, said: string) => {
  insert.run(session, "user", asked);
  insert.run(session, "assistant", said);
});

const app = new Hono();
app.get("/health", (http) => http.text("ok"));
app.post("/chat", async (http) => {
  const { message, model } = await http.req.json<{ message: string; model: string }>();
  const answer = await fetch(`${model_url}/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: message }] }),
  });
  return streamSSE(http, async (stream) => {
    const decoder = new TextDecoder();
    let rest = "";
    let said = "";
    for await (const chunk of answer.body ?? []) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (!line.startsWith("data: {")) continue;
        const content = JSON.parse(line.slice(6)).choices[0]?.delta?.content;
        if (!content) continue;
        said += content;
        await stream.writeSSE({ event: "message_delta", data: JSON.stringify({ content }) });
      }
    }
    keep(crypto.randomUUID(), message, said);
    await stream.writeSSE({ event: "done", data: "{}" });
  });
});

serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  console.log(`listening on http://127.0.0.1:${port}`);
});
