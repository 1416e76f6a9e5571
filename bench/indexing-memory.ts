/** How much memory the packaged server takes while it indexes the largest file that it accepts. */
import { setTimeout as delay } from "node:timers/promises";
import { memoryOf, start, temporaryFolder } from "./processes.ts";
import type { Row } from "./row.ts";
import { createWriter, seededRandom } from "./synthetic-text.ts";
import { EXECUTABLE } from "./systems.ts";

const FILE_BYTES = 50 * 1024 * 1024;
const PARAGRAPH_WORDS = 90;
const LOOK_EVERY_MS = 100;
const SETTLE_MS = 2_000;
/** Passages are embedded after the file is ready: so long that is watched, too. */
const EMBEDDING_MS = 10_000;

export async function indexingMemory(): Promise<Row> {
  const place = ["--port", "0", "--data-dir", temporaryFolder(), "--log-level", "error"];
  const server = await start(EXECUTABLE, ["serve", ...place]);
  let peak = 0;
  const look = setInterval(() => {
    peak = Math.max(peak, memoryOf(server.pid));
  }, LOOK_EVERY_MS);
  try {
    await delay(SETTLE_MS);
    const idle = memoryOf(server.pid);
    await index(`${server.url}/api/v1`);
    await delay(EMBEDDING_MS);
    const grown = peak - idle;
    return {
      what: "memory above idle while a file of 50 MB is indexed, MB",
      troupe: grown,
      limit: undefined,
      target: "under 300 MB",
      reached: grown < 300,
    };
  } finally {
    clearInterval(look);
    await server.stop();
  }
}

/** Uploads the file and waits until it is ready. */
async function index(api: string): Promise<void> {
  const session = await fetch(`${api}/auth/local-session`, { method: "POST" });
  const { access_token = "" } = (await session.json()) as Record<string, string>;
  const headers = { Authorization: `Bearer ${access_token}` };
  const body = JSON.stringify({ name: "large" });
  await fetch(`${api}/knowledge-bases`, { method: "POST", headers, body });
  const form = new FormData();
  form.append("file", new Blob([text()], { type: "text/plain" }), "large.txt");
  const files = `${api}/knowledge-bases/large/files`;
  const uploaded = await fetch(files, { method: "POST", headers, body: form });
  if (!uploaded.ok) throw new Error(await uploaded.text());
  const { id } = (await uploaded.json()) as { id: string };
  for (let status = ""; status !== "ready"; ) {
    await delay(500);
    const answer = await fetch(`${files}/${id}`, { headers });
    const file = (await answer.json()) as { status: string; status_message?: string };
    if (file.status === "error") throw new Error(file.status_message);
    status = file.status;
  }
}

function text(): string {
  const writer = createWriter(seededRandom(3));
  const paragraphs: string[] = [];
  for (let length = 0; length < FILE_BYTES - 10_000; ) {
    const paragraph = `${writer.words(PARAGRAPH_WORDS)}\n\n`;
    paragraphs.push(paragraph);
    length += paragraph.length;
  }
  return paragraphs.join("");
}
