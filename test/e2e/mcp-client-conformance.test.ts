import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/executable.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const CLIENT = `${process.execPath} ${ROOT}/test/support/conformance/client.ts`;

/**
 * What the protocol requires of clients in a revision, but for two groups that the product leaves out:
 * `auth/…`, as it signs in nowhere (a server's token is given to it, contract 2.15), and what asks the
 * client's user something (`elicitation-…`, `sep-2322-…`), which it tells servers that it can't.
 */
const SCENARIOS = {
  "2025-11-25": ["initialize", "tools_call", "sse-retry", "json-schema-2020-12-preservation"],
  "2026-07-28": [
    "tools_call",
    "request-metadata",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
    "json-schema-2020-12-preservation",
  ],
};

const conformance = (
  revision: string,
  scenario: string,
): Promise<{ ok: boolean; output: string }> =>
  new Promise((done) => {
    const args = [
      "client",
      "--command",
      CLIENT,
      "--scenario",
      scenario,
      "--spec-version",
      revision,
    ];
    const options = { cwd: temporaryFolder() };
    execFile(`${ROOT}/node_modules/.bin/conformance`, args, options, (error, stdout, stderr) =>
      done({ ok: error === null, output: stdout + stderr }),
    );
  });

test.each(
  Object.entries(SCENARIOS).flatMap(([revision, names]) => names.map((name) => [revision, name])),
)("the client of MCP servers conforms to revision %s: %s", async (revision, scenario) => {
  const { ok, output } = await conformance(revision ?? "", scenario ?? "");
  expect(ok ? "" : output).toBe("");
  expect(output).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed/);
});
