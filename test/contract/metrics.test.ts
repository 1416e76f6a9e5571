import { describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../support/app.ts";
import { startChatApp } from "../support/chat.ts";
import { ask } from "../support/turns.ts";

const UUID = "44444444-4444-4444-8444-444444444444";

/** The lines of the metrics, by name and labels. */
async function read(app: TestApp): Promise<Map<string, number>> {
  const text = await (await app.fetch("/metrics")).text();
  return new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
}

const requests = (method: string, path: string, status: number) =>
  `http_requests_total{method="${method}",path="${path}",status="${status}"}`;

describe("metrics", () => {
  test("are text that Prometheus reads, for everybody", async () => {
    const app = await startTestApp();
    const answer = await app.fetch("/metrics");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Content-Type")).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await answer.text();
    expect(text).toContain("# TYPE http_requests_total counter");
    expect(text).toContain("# TYPE http_request_duration_seconds histogram");
    expect(text).toContain("process_cpu_seconds_total");
    expect(text).toContain("nodejs_eventloop_lag_seconds");
  });

  test("count requests by route, not by what stands in its place", async () => {
    const app = await startTestApp();
    const admin = await app.as("admin");
    await admin.get(`/sessions/${UUID}`);
    await admin.get("/sessions/nonsense");
    await admin.get("/agents/a");
    await admin.get("/agents");
    await admin.patch("/agents");
    const lines = await read(app);
    expect(lines.get(requests("GET", "/api/v1/sessions/:id", 404))).toBe(1);
    expect(lines.get(requests("GET", "/api/v1/sessions/:id", 400))).toBe(1);
    expect(lines.get(requests("GET", "/api/v1/agents/:name", 404))).toBe(1);
    expect(lines.get(requests("GET", "/api/v1/agents", 200))).toBe(1);
    expect(lines.get(requests("PATCH", "/api/v1/agents", 405))).toBe(1);
    const duration =
      'http_request_duration_seconds_count{method="GET",path="/api/v1/sessions/:id"}';
    expect(lines.get(duration)).toBe(2);
  });

  test("put durations into buckets that add up", async () => {
    const app = await startTestApp();
    for (let n = 0; n < 3; n += 1) await app.fetch("/agents");
    const lines = await read(app);
    const name = "http_request_duration_seconds";
    const of = (suffix: string, more = "") =>
      lines.get(`${name}_${suffix}{method="GET",path="/api/v1/agents"${more}}`);
    const buckets = [...lines].filter(([line]) =>
      line.startsWith(`${name}_bucket{method="GET",path="/api/v1/agents"`),
    );
    const values = buckets.map(([, value]) => value);
    expect(values).toEqual(values.toSorted((one, other) => one - other));
    expect(of("bucket", ',le="+Inf"')).toBe(3);
    expect(of("count")).toBe(3);
    expect(of("sum")).toBeGreaterThan(0);
  });

  test("do not grow with paths and methods that strangers make up", async () => {
    const app = await startTestApp();
    const series = (lines: Map<string, number>) =>
      [...lines.keys()].filter((line) => line.startsWith("http_")).length;
    const before = series(await read(app));
    for (let n = 0; n < 20; n += 1) {
      await app.fetch(`/nowhere/${n}`);
      await app.fetch(`/health/${n}`, { method: `MADE-UP-${n}` });
    }
    const lines = await read(app);
    expect(lines.get(requests("GET", "unknown", 404))).toBe(20);
    expect(lines.get(requests("OTHER", "unknown", 404))).toBe(20);
    expect([...lines.keys()].filter((line) => line.includes("nowhere"))).toEqual([]);
    // Three routes, one of them the metrics': a counter, the buckets, sum and count for each.
    expect(series(lines) - before).toBeLessThanOrEqual(3 * 18);
  });

  test("tell tokens, and looking does not add to them", async () => {
    const app = await startChatApp([{ text: "Hi.", usage: { prompt: 12, completion: 3 } }]);
    await ask(app.admin, { message: "hi" });
    await read(app);
    const lines = await read(app);
    expect(lines.get('troupe_tokens_total{kind="prompt"}')).toBe(12);
    expect(lines.get('troupe_tokens_total{kind="completion"}')).toBe(3);
  });

  test("tell turns that run and wait, and streams that are open", async () => {
    const app = await startChatApp([{ text: "Hi.", hold: true }]);
    const numbers = async () => {
      const lines = await read(app);
      const names = ["troupe_turns_running", "troupe_turns_waiting", "troupe_streams_open"];
      return names.map((name) => lines.get(name));
    };
    expect(await numbers()).toEqual([0, 0, 0]);
    const first = await app.admin.open("/schemas/support/chat", { message: "hi" });
    await app.model.held();
    const session_id = first.headers.get("X-Session-Id") ?? "";
    const body = { message: "and then?", session_id };
    const second = await app.admin.open("/schemas/support/chat", body);
    const follower = await app.admin.openGet(`/sessions/${session_id}/events`);
    expect(await numbers()).toEqual([1, 1, 3]);
    await follower.body?.cancel();
    expect(await numbers()).toEqual([1, 1, 2]);
    app.model.script({ text: "Bye." });
    app.model.release();
    await Promise.all([first.text(), second.text()]);
    expect(await numbers()).toEqual([0, 0, 0]);
  });
});
