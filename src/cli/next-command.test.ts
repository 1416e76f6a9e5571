import { describe, expect, test } from "vitest";
import { nextCommand } from "./next-command.ts";

describe("the command to go on with", () => {
  test("works where the one before it did", () => {
    const chat = ["chat", "demo", "--session", "s1"];
    expect(nextCommand(chat, {})).toBe("bin/troupe chat demo --session s1");
    expect(nextCommand(chat, { dataDir: "./data" })).toMatch(/ --session s1 --data-dir \.\/data$/);
    expect(nextCommand(chat, { url: "https://a.example:8443" })).toMatch(
      / --url https:\/\/a\.example:8443$/,
    );
  });

  test("survives a shell, whatever a folder is called", () => {
    expect(nextCommand(["serve"], { dataDir: "my data" })).toMatch(/ --data-dir 'my data'$/);
    expect(nextCommand(["serve"], { dataDir: "it's; rm" })).toMatch(/ 'it'\\''s; rm'$/);
  });
});
