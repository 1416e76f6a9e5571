import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { adminOf, run, serve, temporaryFolder } from "../support/executable.ts";

async function startTalking() {
  const server = await serve({ args: ["--demo"] });
  const place = ["--data-dir", server.data_dir];
  const troupe = (...args: string[]) => run([...args, ...place]);
  const say = async (text: string, ...more: string[]) => {
    const { stdout } = await troupe("chat", "demo", "-m", `echo ${text}`, "--json", ...more);
    return JSON.parse(stdout.split("\n")[0] ?? "").session_id as string;
  };
  return { server, troupe, say };
}

describe("sessions, from the command line", () => {
  test("are listed, shown by the start of their id, exported and deleted", async () => {
    const { troupe, say } = await startTalking();
    const first = await say("one");
    const second = await say("two");
    const listed = JSON.parse((await troupe("sessions", "list", "--json")).stdout);
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([second, first]);
    expect((await troupe("sessions", "list", "--schema", "demo", "--limit", "1")).stdout).toMatch(
      new RegExp(`^ID .*\\n${second}  demo +completed .* echo two\\n$`),
    );

    const shown = await troupe("sessions", "get", first.slice(0, -1));
    expect(shown.stdout).toContain("## You\n\necho one\n\n## Answer\n\none\n");
    const file = join(temporaryFolder(), "talk.md");
    expect((await troupe("sessions", "export", first, file)).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(shown.stdout);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await troupe("sessions", "export", first, file);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("is there already") });

    expect((await troupe("sessions", "rm", first)).code).toBe(0);
    const gone = await troupe("sessions", "get", first);
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining("session not found") });
  });

  test("go on with the newest of the schema, and stay with the schema they began with", async () => {
    const { server, troupe, say } = await startTalking();
    const admin = await adminOf(server);
    const other = { name: "other", entry_agent_id: "guide", chat_enabled: true };
    expect((await admin.json("POST", "/schemas", other)).status).toBe(201);
    const none = await troupe("chat", "other", "--continue", "-m", "hi");
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("no session") });

    const session = await say("one");
    expect(await say("two", "--continue")).toBe(session);
    const elsewhere = await troupe("chat", "other", "-m", "hi", "--session", session);
    expect(elsewhere.code).toBe(1);
    expect(elsewhere.stderr).toContain(`session ${session} belongs to schema "demo"`);
    expect(elsewhere.stderr).toContain(`chat demo --session ${session}`);
  });

  test("say by their exit code that the agent asks, with or without a server", async () => {
    const { server, troupe } = await startTalking();
    const form = await troupe("chat", "demo", "-m", "Show me a form");
    expect(form).toMatchObject({ code: 3, stdout: "" });
    expect(form.stderr).toMatch(/Answer in a terminal.*\n.*troupe chat demo --session/);
    await server.stop();
    const approval = await troupe("chat", "demo", "-m", "Remember that I like tea");
    expect(approval).toMatchObject({ code: 3, stdout: "" });
    expect(approval.stderr).toContain("The turn waits for this approval");
  });
});
