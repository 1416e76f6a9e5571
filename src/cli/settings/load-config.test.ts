import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { PROCESS_KEYS } from "#engine/config/process-keys.ts";
import {
  type Environment,
  type Flags,
  loadConfig,
  settingsProblem,
  withoutMeaning,
} from "./load-config.ts";
import { SETTINGS } from "./settings.ts";

function fileOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "config.yaml");
  writeFileSync(file, text);
  return file;
}

const EXTERNAL = { SERVICE_AUTH_MODE: "external", SERVICE_JWT_PUBLIC_KEY_PATH: "key.hex" };

const load = (flags: Flags = {}, environment: Environment = {}, text?: string) =>
  loadConfig(
    flags,
    { HOME: tmpdir(), ...environment },
    text === undefined ? undefined : fileOf(text),
  );

describe("origins", () => {
  test.each<[string, Flags, Environment, string | undefined, string[]]>([
    ["nothing", {}, {}, undefined, []],
    [
      "a flag",
      { cors_origins: "https://a.example, http://b.example:8080" },
      {},
      undefined,
      ["https://a.example", "http://b.example:8080"],
    ],
    [
      "the environment",
      {},
      { SERVICE_CORS_ORIGINS: "https://a.example," },
      undefined,
      ["https://a.example"],
    ],
    [
      "a list of the file",
      {},
      {},
      "engine:\n  cors_origins: [https://a.example]\n",
      ["https://a.example"],
    ],
    ["an empty list", {}, {}, "engine:\n  cors_origins: []\n", []],
  ])("come from %s", (_what, flags, environment, text, expected) => {
    expect(load(flags, environment, text).cors_origins).toEqual(expected);
  });

  test.each([
    "*",
    "a.example",
    "https://a.example/",
    "https://a.example/app",
    "HTTPS://A.example",
    "null",
  ])("are not taken as %j, which no browser sends", (cors_origins) => {
    expect(() => load({ cors_origins })).toThrow(/--cors-origins: must be origins/);
  });
});

describe("rate limits", () => {
  const token = (limit: number, window_s: number) => [
    { name: "token", key_header: "Authorization", tiers: { default: { limit, window_s } } },
  ];

  test.each<[string, Flags, Environment, object[]]>([
    ["off in local mode", {}, {}, []],
    ["60 a minute in external mode", {}, EXTERNAL, token(60, 60)],
    ["off in external mode when told so", { rate_limit: "0" }, EXTERNAL, []],
    ["what a flag says", { rate_limit: "5", rate_limit_window: "1h" }, {}, token(5, 3600)],
    [
      "what the environment says",
      {},
      { SERVICE_RATE_LIMIT: "7", SERVICE_RATE_LIMIT_WINDOW: "10s" },
      token(7, 10),
    ],
  ])("are %s", (_what, flags, environment, expected) => {
    expect(load(flags, environment).rate_limits).toEqual(expected);
  });

  test("by other headers come from the file", () => {
    const text = `
rate_limits:
  - name: customer
    key_header: X-Customer
    tier_header: X-Plan
    tiers:
      default: { limit: 10, window: 1m }
      gold: { limit: 100, window: 60 }
`;
    expect(load({}, {}, text).rate_limits).toEqual([
      {
        name: "customer",
        key_header: "X-Customer",
        tier_header: "X-Plan",
        tiers: { default: { limit: 10, window_s: 60 }, gold: { limit: 100, window_s: 60 } },
      },
    ]);
  });

  test.each([
    [
      "no default tier",
      "[{name: a, key_header: X-A, tiers: {gold: {limit: 1, window: 1m}}}]",
      /default/,
    ],
    [
      "a limit of nothing",
      "[{name: a, key_header: X-A, tiers: {default: {limit: 0, window: 1m}}}]",
      /limit/,
    ],
    [
      "a window of nothing",
      "[{name: a, key_header: X-A, tiers: {default: {limit: 1, window: 0s}}}]",
      /window/,
    ],
    [
      "a token as key",
      "[{name: a, key_header: authorization, tiers: {default: {limit: 1, window: 1m}}}]",
      /rate_limit/,
    ],
    [
      "a cookie as key",
      "[{name: a, key_header: Cookie, tiers: {default: {limit: 1, window: 1m}}}]",
      /secret/,
    ],
    [
      "a misspelt field",
      "[{name: a, keyheader: X-A, tiers: {default: {limit: 1, window: 1m}}}]",
      /rate_limits.0/,
    ],
    ["no list", "{}", /rate_limits in/],
  ])("with %s are refused with their place", (_what, rules, reason) => {
    expect(() => load({}, {}, `rate_limits: ${rules}\n`)).toThrow(reason);
  });

  test.each(["-1", "many", "1.5"])("of %s are refused", (rate_limit) => {
    expect(() => load({ rate_limit })).toThrow(/--rate-limit: must be a whole number/);
  });
});

test("a value that is none of those there are is refused with them", () => {
  expect(() => load({ log_level: "loud" })).toThrow(
    "--log-level: must be one of debug, info, warn, error, silent",
  );
});

describe("a setting in the file that there is not", () => {
  test.each([
    ["a slip", "engine:\n  prot: 9000\n", /^engine\.prot in .*did you mean engine\.port\?$/],
    ["something else", "logging: {colour: red}\n", /^logging\.colour in .*troupe config show/],
  ])("is refused: %s", (_what, text, reason) => {
    expect(() => load({}, {}, text)).toThrow(reason);
  });

  test("is read over where the interface's own file may have it", () => {
    const text =
      "engine: {internal_port: 0}\nmcp: {docs_url: https://docs.example}\nseed: {a: b}\n";
    expect(load({}, {}, text).port).toBe(8443);
  });

  test("is found also where a document is looked at by itself, but not what a variable may hold", () => {
    const problem = (text: string) => settingsProblem([{ text }], { SERVICE_PORT: "none" });
    expect(problem("engine: {port: 99999}")).toContain("engine.port in the configuration file");
    expect(problem("engine: {prot: 1}")).toContain("there is no such setting");
    expect(problem("engine: {port: 80, public_base_url: '${NOT_SET_HERE}'}")).toBeUndefined();
  });

  test("is told where it means nothing", () => {
    const file = fileOf(
      "mcp: {docs_url: x}\nengine: {port: 1}\nbyok: {enabled: true}\nseed: {a: b}\n",
    );
    expect(withoutMeaning(file)).toEqual(["seed", "byok", "mcp.docs_url"]);
  });

  test("makes no difference where a section is empty", () => {
    expect(load({}, {}, "engine:\nlogging: {}\n").port).toBe(8443);
  });
});

test("a document's reader knows every section that settings stand in", () => {
  const sections = Object.values(SETTINGS).map(({ file }) => file.split(".")[0] ?? "");
  expect(sections.filter((section) => !PROCESS_KEYS.has(section))).toEqual([]);
});
