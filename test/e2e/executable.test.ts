import {
  chmodSync,
  copyFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { adminOf, EXECUTABLE, run, serve, temporaryFolder } from "../support/executable.ts";

const alone = () => {
  const executable = join(temporaryFolder(), "troupe");
  copyFileSync(EXECUTABLE, executable);
  chmodSync(executable, 0o755);
  return executable;
};

const cacheFiles = (cache: string) =>
  readdirSync(cache, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(cache, name)).isFile(),
  );

describe("the executable, copied alone to an empty folder", () => {
  test("tells its version and its commands", async () => {
    const executable = alone();
    const version = await run(["--version"], { executable });
    expect(version).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: "",
    });
    const help = await run(["--help"], { executable });
    expect(help.code).toBe(0);
    for (const command of ["serve", "chat", "tokens", "doctor"])
      expect(help.stdout).toContain(command);
  });

  test("finds all its native parts", async () => {
    const { code, stdout } = await run(["doctor", "--json", "--data-dir", temporaryFolder()], {
      executable: alone(),
      env: { HOME: temporaryFolder() },
      cwd: temporaryFolder(),
    });
    expect(JSON.parse(stdout)).toMatchObject([
      { check: "runtime", ok: true },
      { check: "database", ok: true, detail: expect.stringMatching(/^SQLite 3/) },
      { check: "vector search", ok: true, detail: expect.stringMatching(/^sqlite-vec v/) },
      { check: "worker thread", ok: true, detail: "answers" },
      { check: "embedded model", ok: true },
      { check: "terminal interface", ok: true },
      { check: "data directory", ok: true, detail: expect.stringContaining("free") },
      { check: "data", ok: true, detail: "none yet" },
      { check: "server", ok: true, detail: "none runs on this directory" },
    ]);
    expect(code).toBe(0);
  });

  test("says which of its parts do not work here", async () => {
    const nowhere = "/proc/nowhere";
    const { code, stdout } = await run(["doctor", "--json", "--data-dir", nowhere], {
      env: { XDG_CACHE_HOME: nowhere, TMPDIR: nowhere },
    });
    const failed = JSON.parse(stdout).filter(({ ok }: { ok: boolean }) => !ok);
    expect(failed).toMatchObject([
      { check: "database", detail: expect.stringContaining("can be unpacked nowhere") },
      { check: "vector search", detail: expect.stringContaining("can be unpacked nowhere") },
      { check: "data directory", detail: expect.stringContaining("cannot be written") },
    ]);
    expect(code).toBe(1);
  });

  test("serves, chats and issues a token that works", async () => {
    const executable = alone();
    const server = await serve({ executable, args: ["--demo"] });
    const place = ["--data-dir", server.data_dir];
    const chat = await run(["chat", "demo", "-m", "echo it works", ...place], { executable });
    expect(chat).toMatchObject({ code: 0, stdout: "it works\n" });

    const made = await run(["tokens", "create", "--name", "app", "--scope", "chat", ...place], {
      executable,
    });
    expect(made.code).toBe(0);
    const remote = ["--url", server.url, "--token", made.stdout.trim()];
    expect(
      await run(["chat", "demo", "-m", "echo remote", ...remote], { executable }),
    ).toMatchObject({ code: 0, stdout: "remote\n" });
    expect((await run(["tokens", "revoke", "app", ...place], { executable })).code).toBe(0);
    const refused = await run(["chat", "demo", "-m", "echo remote", ...remote], { executable });
    expect(refused).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("revoked"),
    });
    expect(await server.stop()).toBe(0);
  });

  test("answers questions about itself from the documentation it carries", async () => {
    const server = await serve({ executable: alone(), args: ["--demo"] });
    const { stdout, stderr } = await run([
      "chat",
      "demo",
      "-m",
      "How do I create a token?",
      "--data-dir",
      server.data_dir,
    ]);
    expect(stdout).toContain("troupe tokens create");
    expect(stdout).toMatch(/^From \S+\.md - .+ \[1\]:/);
    expect(stderr).toMatch(/^Sources\n\[1\] \S+\.md · /);
  });

  test("takes no orders from NODE_OPTIONS", async () => {
    const env = { NODE_OPTIONS: "--require /nowhere/at/all.js" };
    expect(await run(["--version"], { env })).toMatchObject({ code: 0 });
  });

  test("replaces what somebody changed of the files that it keeps", async () => {
    const cache = temporaryFolder();
    const doctor = () =>
      run(["doctor", "--json", "--data-dir", temporaryFolder()], {
        env: { XDG_CACHE_HOME: cache },
      });
    await doctor();
    const native = cacheFiles(cache).filter((file) => !file.includes("compiled"));
    expect(native).toHaveLength(2);
    for (const file of cacheFiles(cache)) writeFileSync(join(cache, file), "not what it was");
    expect((await doctor()).code).toBe(0);
    expect(cacheFiles(cache)).toEqual(expect.arrayContaining(native));
  });

  test("loads nothing from a temporary folder that is not its own, and leaves nothing behind", async () => {
    const temporary = temporaryFolder();
    const guessable = `troupe-${process.getuid?.() ?? "user"}`;
    symlinkSync(temporaryFolder(), join(temporary, guessable));
    const env = { XDG_CACHE_HOME: "/proc/no-cache", TMPDIR: temporary };
    const { code } = await run(["doctor", "--data-dir", temporaryFolder()], { env });
    expect(code).toBe(0);
    expect(readdirSync(temporary, { recursive: true })).toEqual([guessable]);
  });

  test("unpacks safely when eight start at once", async () => {
    const env = { XDG_CACHE_HOME: temporaryFolder() };
    const all = await Promise.all(
      Array.from({ length: 8 }, () =>
        run(["doctor", "--json", "--data-dir", temporaryFolder()], { env }),
      ),
    );
    expect(all.map(({ code }) => code)).toEqual(Array(8).fill(0));
  });
});

describe("wrong usage", () => {
  test.each([
    ["an unknown command", ["fly"]],
    ["an unknown flag", ["serve", "--fly"]],
    ["a port that is none", ["serve", "--port", "eighty"]],
    ["a configuration file that is not there", ["serve", "--config", "/nowhere.yaml"]],
    ["a token without a name", ["tokens", "create", "--scope", "chat"]],
    ["an unknown scope", ["tokens", "create", "--name", "a", "--scope", "root"]],
    ["a chat without a message or a terminal", ["chat", "demo"]],
    [
      "a server and a directory at once",
      ["tokens", "list", "--url", "http://127.0.0.1:1", "--data-dir", "/tmp/x"],
    ],
  ])("%s exits with 2 and one clear message", async (_what, args) => {
    const { code, stdout, stderr } = await run(args, { env: { HOME: temporaryFolder() } });
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr.trim()).not.toBe("");
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe("what is refused by who was asked is a failure, not wrong usage", () => {
  const nameless = ["tokens", "create", "--name", "", "--scope", "chat"];
  const half_made = ["chat", "half-made", "-m", "hi"];

  test("by a server elsewhere, and by the engine on a directory", async () => {
    const server = await serve();
    const admin = await adminOf(server);
    await admin.json("POST", "/schemas", { name: "half-made", chat_enabled: true });
    const remotely = ["--url", server.url];
    const remote = [
      await run([...nameless, ...remotely]),
      await run([...half_made, ...remotely]),
      await run(["chat", "-m", "hi", "--session", "none", ...remotely]),
    ];
    await server.stop();
    const locally = ["--data-dir", server.data_dir];
    const local = [await run([...nameless, ...locally]), await run([...half_made, ...locally])];
    for (const each of [...remote, ...local]) {
      expect(each).toMatchObject({ code: 1, stdout: "" });
      expect(each.stderr).toMatch(/^troupe: .+\n$/);
    }
    expect(local[1]?.stderr).toContain("has no entry agent");
  });

  test("and so is that there is no schema to chat with", async () => {
    const place = ["--data-dir", temporaryFolder()];
    expect(await run(["chat", "-m", "hi", ...place])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("there is no schema"),
    });
  });
});

describe("a server that can't start", () => {
  test("says that its port is in use", async () => {
    const first = await serve();
    const port = new URL(first.url).port;
    const second = await run(["serve", "--port", port, "--data-dir", temporaryFolder()]);
    expect(second).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(`port ${port}`),
    });
  });

  test("names the server that has its directory", async () => {
    const first = await serve();
    const second = await run(["serve", "--port", "0", "--data-dir", first.data_dir]);
    expect(second).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(first.url),
    });
    expect((await fetch(`${first.url}/health`)).status).toBe(200);
  });

  test("says that its database is damaged, and leaves it alone", async () => {
    const data_dir = temporaryFolder();
    writeFileSync(join(data_dir, "troupe.db"), "no database ".repeat(1000));
    const { code, stderr } = await run(["serve", "--port", "0", "--data-dir", data_dir]);
    expect(code).toBe(1);
    expect(stderr).toContain("damaged");
  });

  test("says that its directory can't be written", async () => {
    const { code, stderr } = await run(["serve", "--port", "0", "--data-dir", "/proc/troupe"]);
    expect(code).toBe(1);
    expect(stderr).toContain("/proc/troupe cannot be written");
  });
});

describe("a server that others reach", () => {
  test.each([
    ["on every address", ["--host", "0.0.0.0"]],
    ["behind a proxy", ["--public-base-url", "https://agents.example.com"]],
  ])("%s opens a local session only for who can read its data directory", async (_where, args) => {
    const server = await serve({ args });
    const url = server.url.replace("0.0.0.0", "127.0.0.1");
    expect((await fetch(`${url}/api/v1/auth/local-session`, { method: "POST" })).status).toBe(403);
    const secret_file = join(server.data_dir, "bootstrap-secret");
    expect(statSync(secret_file).mode & 0o777).toBe(0o600);
    const list = await run(["tokens", "list", "--json", "--url", url], {
      env: { SERVICE_DATA_DIR: server.data_dir },
    });
    expect(list).toMatchObject({ code: 0, stdout: "[]\n" });
  });
});

describe("secrets", () => {
  test("appear neither in answers nor in logs", async () => {
    const server = await serve({ args: ["--log-level", "debug"] });
    const admin = await adminOf(server);
    const api_key = "sk-do-not-tell-anybody";
    await admin.json("POST", "/models", {
      name: "m",
      type: "openai_compatible",
      model_name: "x",
      base_url: "http://127.0.0.1:1/v1",
      api_key,
    });
    await admin.json("POST", "/agents", { name: "a", model: "m" });
    await admin.json("POST", "/schemas", { name: "s", entry_agent_id: "a", chat_enabled: true });
    const { body } = await admin.json("POST", "/schemas/s/chat", {
      message: "my private words",
      stream: false,
    });
    expect(body.error).toContain("cannot reach the model server");
    await server.stop();
    const told = JSON.stringify(body) + server.output.stdout + server.output.stderr;
    expect(told).not.toContain(api_key);
    expect(server.output.stderr).not.toContain("my private words");
    expect(server.output.stderr).not.toContain(admin.headers.Authorization);
  });
});
