import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { memoryOf, start, temporaryFolder } from "/work/main/bench/processes.ts";
import { createWriter, seededRandom } from "/work/main/bench/synthetic-text.ts";
import { EXECUTABLE } from "/work/main/bench/systems.ts";

const kind = process.argv[2]!;
const MB = Number(process.argv[3] ?? 50);
const w = createWriter(seededRandom(3));
const ps: string[] = [];
const N = MB * 1024 * 1024 - 10000;
let l = 0,
  i = 0;
const push = (s: string) => {
  ps.push(s);
  l += Buffer.byteLength(s);
};
if (kind === "csv") {
  push("id,name,description,city\n");
  while (l < N) {
    push(`${i++},${w.words(3)},${w.words(12)},${w.words(1)}\n`);
  }
}
if (kind === "md") {
  while (l < N) {
    push(`## ${w.words(4)} ${i++}\n\n${w.words(90)}\n\n`);
  }
}
if (kind === "html") {
  push("<html><body>");
  while (l < N) {
    push(`<h2>${w.words(4)} ${i++}</h2>\n<p>${w.words(90)}</p>\n`);
  }
  push("</body></html>");
}
if (kind === "json") {
  push("[");
  while (l < N) {
    push(`{"id":${i++},"name":"${w.words(3)}","text":"${w.words(40)}"},\n`);
  }
  push("0]");
}
if (kind === "yaml") {
  while (l < N) {
    push(`- id: ${i++}\n  name: ${w.words(3)}\n  text: ${w.words(40)}\n`);
  }
}
if (kind === "txt8") {
  while (l < N) {
    push(`${w.words(90)} häuser Привет мир\n\n`);
  }
}
const text = ps.join("");
const type = kind === "txt8" ? "txt" : kind;
const server = await start(EXECUTABLE, [
  "serve",
  "--port",
  "0",
  "--data-dir",
  temporaryFolder(),
  "--log-level",
  "error",
]);
let phase = "start";
const peak: Record<string, number> = {};
const iv = setInterval(() => {
  const m = memoryOf(server.pid);
  peak[phase] = Math.max(peak[phase] ?? 0, Math.round(m));
}, 100);
await delay(1500);
const idle = memoryOf(server.pid);
const api = server.url + "/api/v1";
const s = (await (await fetch(api + "/auth/local-session", { method: "POST" })).json()) as any;
const h = { Authorization: "Bearer " + s.access_token };
await fetch(api + "/knowledge-bases", {
  method: "POST",
  headers: h,
  body: JSON.stringify({ name: "large" }),
});
const f = new FormData();
f.append("file", new Blob([text], type === "txt" ? { type: "text/plain" } : {}), "large." + type);
phase = "upload";
const { id } = (await (
  await fetch(api + "/knowledge-bases/large/files", { method: "POST", headers: h, body: f })
).json()) as any;
phase = "extract";
const t0 = performance.now();
for (;;) {
  await delay(200);
  const x = (await (
    await fetch(`${api}/knowledge-bases/large/files/${id}`, { headers: h })
  ).json()) as any;
  if (phase === "extract" && x.chunk_count > 0) {
    phase = "store";
    console.log("extract s", (performance.now() - t0) / 1000);
  }
  if (process.env.V)
    console.log(
      ((performance.now() - t0) / 1000).toFixed(1),
      x.status,
      x.chunks_done,
      x.chunk_count,
    );
  if (x.status === "ready" || x.status === "error") {
    console.log(kind, x.status, x.status_message, x.chunk_count);
    break;
  }
}
phase = "embed";
await delay(4000);
clearInterval(iv);
console.log("idle", Math.round(idle), peak);
await server.stop();
process.exit();
