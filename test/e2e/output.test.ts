import { describe, expect, test } from "vitest";
import { EXECUTABLE, run, runUnread, serve, temporaryFolder } from "../support/executable.ts";

/** What a shell calls a program that wrote to a closed pipe. */
const UNREAD = { code: 141, stdout: "", stderr: "" };

const shell = (script: string, ...args: readonly string[]) =>
  run(["-c", script, "sh", EXECUTABLE, ...args], { executable: "sh" });

describe("a reader that went away ends the program quietly", () => {
  test.each([
    ["the interface description", ["openapi"]],
    ["the help", ["--help"]],
    ["a command's help", ["chat", "--help"]],
    ["the version", ["--version"]],
    ["the checks of an installation", ["doctor"]],
    ["a list", ["tokens", "list", "--json"]],
  ])("of %s", async (_what, args) => {
    const env = { HOME: temporaryFolder() };
    expect(await runUnread(args, ["stdout"], { env })).toEqual(UNREAD);
    expect(await runUnread(args, ["stdout", "stderr"], { env })).toEqual(UNREAD);
  });

  test("of notes and errors", async () => {
    const env = { HOME: temporaryFolder() };
    expect(await runUnread(["fly"], ["stderr"], { env })).toEqual(UNREAD);
    expect(await runUnread(["tokens", "list"], ["stderr"], { env })).toEqual(UNREAD);
  });

  test("of an answer, of which nobody saw the end", async () => {
    const { data_dir } = await serve({ args: ["--demo"] });
    const chat = ["chat", "demo", "-m", "echo it works", "--data-dir", data_dir];
    expect(await runUnread(chat, ["stdout"])).toEqual(UNREAD);
    expect(await runUnread([...chat, "--json"], ["stdout"])).toEqual(UNREAD);
  });

  test("of a few bytes of what is much longer", async () => {
    const { stdout, stderr } = await shell('{ "$@"; echo "code $?" >&2; } | head -c 1', "openapi");
    expect({ stdout, stderr }).toEqual({ stdout: "{", stderr: "code 141\n" });
  });
});

test("an output that can't be written is told in one message", async () => {
  const { code, stderr } = await shell('"$@" > /dev/full', "openapi");
  expect(code).toBe(1);
  expect(stderr).toMatch(/^troupe: the output cannot be written: ENOSPC.*\n$/);
});
