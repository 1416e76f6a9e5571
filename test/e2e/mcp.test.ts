import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run, serve, temporaryFolder } from "../support/executable.ts";
import { processesWith, whenProcesses } from "../support/processes.ts";

const FILESYSTEM = resolve("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");

test("a server is added, tried and used from the command line, and ends with the executable", async () => {
  const folder = temporaryFolder();
  onTestFinished(() => {
    for (const line of processesWith(folder)) process.kill(Number.parseInt(line, 10), "SIGKILL");
  });
  writeFileSync(join(folder, "note.txt"), "The parcel is in Turku.");
  const server = await serve({ args: ["--demo"] });
  const place = ["--data-dir", server.data_dir];
  const mcp = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(["mcp", ...args]);
    return { code, stderr, output: args.includes("--json") ? JSON.parse(stdout) : stdout };
  };
  const program = ["--", process.execPath, FILESYSTEM, folder];
  const added = await mcp("add", "folder", ...place, "--agent", "guide", "--json", ...program);
  expect(added).toMatchObject({ code: 0, output: { type: "stdio", agents: ["guide"] } });
  const tried = await mcp("test", "folder", ...place, "--json");
  expect(tried).toMatchObject({ code: 0, output: { connectivity: "ok" } });
  const { output: refreshed } = await mcp("refresh", "folder", ...place, "--json");
  expect(refreshed.tools_count).toBe(tried.output.tools.length);
  const { output: listed } = await mcp("list", ...place, "--json");
  expect(listed).toMatchObject([{ name: "folder", status: { status: "connected" } }]);
  const gone = await mcp("add", "gone", "https://127.0.0.1:1", ...place);
  expect(gone.code).toBe(0);
  expect(await mcp("test", "gone", ...place)).toMatchObject({ code: 1, output: "" });
  expect((await mcp("add", "nothing", ...place)).code).toBe(2);

  await whenProcesses(folder, 1);
  await server.kill9();
  await whenProcesses(folder, 0);

  // Started again, it runs the program again; without a server, the commands do it themselves.
  const again = await serve({ data_dir: server.data_dir });
  await whenProcesses(folder, 1);
  expect((await mcp("list", ...place, "--json")).output).toHaveLength(2);
  expect(await again.stop()).toBe(0);
  await whenProcesses(folder, 0);
  expect((await mcp("test", "folder", ...place)).output).toContain("read_text_file");
  expect((await mcp("rm", "folder", ...place)).code).toBe(0);
  await whenProcesses(folder, 0);
});
