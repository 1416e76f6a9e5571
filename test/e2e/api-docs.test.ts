import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { serve } from "../support/executable.ts";
import { parseFrames } from "../support/sse.ts";

for (const program of ["bash", "curl"]) {
  if (spawnSync(program, ["--version"]).status !== 0) {
    throw new Error(`${program} is needed to run the examples of docs/api.md; install it`);
  }
}

/** The fenced blocks by their headings, in the document's order. */
function examples(): Map<string, string> {
  const document = readFileSync("docs/api.md", "utf8");
  const found = document.matchAll(/^### (.+)\n(?:(?!#).*\n)*?```bash\n([\s\S]*?)```/gm);
  return new Map([...found].map(([, heading = "", code = ""]) => [heading, code]));
}

/** Runs them in one shell, as a reader does, and returns what each of them printed. */
async function runAll(blocks: Map<string, string>, url: string): Promise<Map<string, string>> {
  const script = [...blocks].map(
    ([heading, code]) => `printf '\\n\\036%s\\n' '${heading}'\n${code}`,
  );
  const child = spawn("bash", ["-euo", "pipefail", "-c", script.join("\n")], {
    env: { PATH: process.env.PATH, URL: `${url}/api/v1` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const code = await new Promise((done) => child.once("close", done));
  expect([code, stderr]).toEqual([0, ""]);
  return new Map(
    stdout
      .split("\n\u001e")
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)]),
  );
}

test("the examples of docs/api.md run in order and do what their headings say", async () => {
  const { url } = await serve();
  const blocks = examples();
  expect(blocks.size).toBeGreaterThanOrEqual(10);
  const printed = await runAll(blocks, url);
  const told = (heading: string): string => printed.get(heading)?.trim() ?? "";
  const json = (heading: string) => JSON.parse(told(heading));
  const events = (heading: string) => parseFrames(`${told(heading)}\n\n`).map(({ event }) => event);

  expect([...printed.keys()]).toEqual([...blocks.keys()]);
  expect(told("Open an admin session")).toBe("");
  expect(told("Create a token")).toBe("");
  expect(json("Create a model")).toMatchObject({ name: "rules", is_default: true });
  expect(json("Create an agent")).toMatchObject({ name: "clerk", model: "rules", tools_count: 2 });
  expect(json("Create a schema")).toMatchObject({ name: "shop", agents: ["clerk"] });

  expect(events("Stream a conversation").slice(-2)).toEqual(["message", "done"]);
  expect(told("Stream a conversation")).toContain('"content":"1 2 3"');
  expect(json("Get the answer in one piece")).toMatchObject({ message: "Hello again" });
  expect(json("List sessions")).toMatchObject({ total: 2, per_page: 10 });
  expect(
    json("Read the messages of a session").map(
      ({ payload }: { payload: { content: string } }) => payload.content,
    ),
  ).toEqual(["echo Hello", "Hello", "echo Hello again", "Hello again"]);

  expect(told("Approve a call")).toContain('{"status":"ok"}');
  expect(told("Approve a call")).toMatch(
    /event: tool_result[\s\S]*event: message[\s\S]*event: done/,
  );
  expect(events("Answer a form")).toContain("interrupt_resume");
  expect(events("Answer a form").at(-1)).toBe("done");
  expect(told("Answer a form")).toContain("42");
  expect(json("See which tools were called")).toMatchObject({
    total: 1,
    data: [{ tool_name: "current_time", status: "completed", agent_name: "clerk" }],
  });
});
