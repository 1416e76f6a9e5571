import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { run, serve, temporaryFolder } from "../support/executable.ts";

const documentOf = (prompt: string) => `models: {main: {type: demo, model_name: demo}}
agents: {guide: {system: "${prompt}", tools: [current_time]}}
schemas: {help: {entry_agent: guide, chat_enabled: true}}
`;

/** As editors do it: the new file takes the old one's place. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** A command's result on the data directory. */
const config = (data_dir: string, args: readonly string[], env = {}, input = "") =>
  run(["config", ...args, "--data-dir", data_dir], { env, input });

describe("troupe config", () => {
  test("plans, applies and exports on a directory without a server", async () => {
    const data_dir = temporaryFolder();
    const file = join(temporaryFolder(), "troupe.yaml");
    writeFileSync(file, documentOf("Ask ${WHO}."));
    const env = { WHO: "them" };

    const plan = await config(data_dir, ["plan", file], env);
    expect(plan).toMatchObject({ code: 2, stdout: expect.stringContaining("+ agents.guide") });
    const digest = /--plan (\w+)/.exec(plan.stderr)?.[1] ?? "";
    expect(await config(data_dir, ["apply", file, "--plan", digest], env)).toMatchObject({
      code: 0,
    });
    expect(await config(data_dir, ["plan", file], env)).toMatchObject({ code: 0 });

    const first = await config(data_dir, ["export"]);
    expect(first.stdout).toContain("system_prompt: Ask them.");
    expect(await config(data_dir, ["import", "-"], {}, first.stdout)).toMatchObject({
      code: 0,
      stdout: "0 created, 0 changed, 0 removed, 3 unchanged.\n",
    });
    expect((await config(data_dir, ["export"])).stdout).toBe(first.stdout);
    const as_json = JSON.parse((await config(data_dir, ["export", "--json"])).stdout);
    expect(as_json).toEqual(parse(first.stdout));
  });

  test("says with code 1 what is wrong with a document, and with code 2 what was typed wrongly", async () => {
    const data_dir = temporaryFolder();
    const file = join(temporaryFolder(), "troupe.yaml");
    writeFileSync(file, documentOf("x").replace("system:", "sytem:"));

    expect(await config(data_dir, ["plan", file])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/troupe\.yaml:2:\d+: agents\.guide: sytem: unknown field/),
    });
    expect(await run(["config", "validate", file])).toMatchObject({ code: 1 });
    expect(await config(data_dir, ["plan", file, "--nonsense"])).toMatchObject({
      code: 2,
      stdout: "",
    });
  });

  test("removes only what somebody said may be removed", async () => {
    const data_dir = temporaryFolder();
    await config(data_dir, ["import", "-"], {}, documentOf("x"));
    const empty = "schemas: []\n";

    expect(await config(data_dir, ["apply", "-", "--prune"], {}, empty)).toMatchObject({ code: 2 });
    expect((await config(data_dir, ["export"])).stdout).toContain("schemas:");
    expect(await config(data_dir, ["apply", "-", "--prune", "--yes"], {}, empty)).toMatchObject({
      code: 0,
    });
    expect((await config(data_dir, ["export"])).stdout).not.toContain("schemas:");
  });

  test("does the same beside a server and through it, for a folder with prompts in files", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "prompts"));
    writeFileSync(join(folder, "prompts", "guide.md"), "Help.\nBe brief.\n");
    writeFileSync(join(folder, "a.yaml"), "agents: {guide: {system_file: prompts/guide.md}}");
    writeFileSync(join(folder, "b.yaml"), "models: {main: {type: demo, model_name: demo}}");
    const [here, there] = [await serve(), await serve()];

    expect(await config(here.data_dir, ["apply", folder])).toMatchObject({ code: 0 });
    expect(await run(["config", "apply", folder, "--url", there.url])).toMatchObject({ code: 0 });

    const beside = await config(here.data_dir, ["export"]);
    const through = await run(["config", "export", "--url", there.url]);
    expect(beside.stdout).toContain("Be brief.");
    expect(through.stdout).toBe(beside.stdout);
    expect(await run(["config", "plan", folder, "--url", there.url])).toMatchObject({ code: 0 });
  });
});

describe("serve --config", () => {
  test("serves the document from the start, and goes on when a change can't be applied", async () => {
    const file = join(temporaryFolder(), "troupe.yaml");
    writeFileSync(file, `logging: {format: json}\n${documentOf("First.")}`);
    const server = await serve({ args: ["--config", file, "--watch"] });
    const exported = async () => (await config(server.data_dir, ["export"])).stdout;
    expect(await exported()).toContain("First.");

    replace(file, documentOf("Second."));
    await expect.poll(exported, { timeout: 20_000 }).toContain("Second.");

    replace(file, documentOf("Third.").replace("demo, model", "nonsense, model"));
    await expect.poll(() => server.output.stderr, { timeout: 20_000 }).toContain("is not applied");
    expect(await exported()).toContain("Second.");
    expect(await server.stop()).toBe(0);
  });

  test("does not start with a document that can't be applied", async () => {
    const file = join(temporaryFolder(), "troupe.yaml");
    writeFileSync(file, documentOf("x").replace("agents:", "agnets:"));
    const args = ["serve", "--port", "0", "--data-dir", temporaryFolder(), "--config", file];
    expect(await run(args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("unknown section"),
    });
  });
});
