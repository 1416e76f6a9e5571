import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { z } from "zod";
import { describeProblem } from "#engine/config/problem.ts";
import { PROCESS_KEYS } from "#engine/config/process-keys.ts";
import { isClose } from "#engine/config/unknown-name.ts";
import { parseYaml } from "#engine/config/yaml.ts";
import { EngineError } from "#engine/kernel/error.ts";
import { filesOf, readText } from "../config/yaml-files.ts";
import { usageError } from "../output.ts";
import { readRateLimits } from "./rate-limits.ts";
import { SETTINGS, type ServiceConfig, type SettingName } from "./settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the command line said, under the settings' names. */
export type Flags = Partial<Record<SettingName, string>>;

/**
 * Flag over environment over file over default (decision 1). Throws a usage error that names the
 * setting and the place its value came from.
 */
export function loadConfig(flags: Flags, environment: Environment, file?: string): ServiceConfig {
  const document = file === undefined ? {} : readConfigFile(file, environment);
  const names = Object.keys(SETTINGS) as SettingName[];
  const entries = names.map((name) => [
    name,
    resolveSetting(name, flags, environment, document).value,
  ]);
  const config = Object.fromEntries(entries) as Omit<ServiceConfig, "rate_limits">;
  if (config.auth_mode === "external" && !config.jwt_public_key_path) {
    throw usageError(
      "auth_mode external needs jwt_public_key_path: the key that verifies the JWTs",
    );
  }
  const rate_limits = readRateLimits(config, at(document, "rate_limits"));
  return { ...config, data_dir: resolve(config.data_dir), rate_limits };
}

/**
 * What `serve --config` would refuse of the settings that stand in a document. What a variable holds that is not set
 * here is not looked at.
 */
export function settingsProblem(
  sources: readonly ConfigSource[],
  environment: Environment,
): string | undefined {
  try {
    const document = toDocument(sources, environment, undefined);
    for (const name of Object.keys(SETTINGS) as SettingName[])
      resolveSetting(name, {}, {}, document);
    return undefined;
  } catch (error) {
    if (error instanceof EngineError) return error.message;
    throw error;
  }
}

/** What a file says that nothing here reads: it is known to the interface's own file (contract 0.7). */
export function withoutMeaning(path: string): string[] {
  const document = merged(sourcesOf(path));
  const read = new Set([
    ...Object.values(SETTINGS).map(({ file }) => sectionOf(file)),
    "rate_limits",
  ]);
  const sections = [...PROCESS_KEYS].filter((section) => !read.has(section));
  return [...sections, ...WITHOUT_MEANING].filter((place) => at(document, place) !== undefined);
}

export interface DescribedSetting {
  readonly name: SettingName;
  readonly value: unknown;
  /** The variable, the place in the file, or that it is the default. */
  readonly origin: string;
}

/** Every setting as `serve` would have it, without flags. A secret is told to be set, and not shown. */
export function describeSettings(environment: Environment, file?: string): DescribedSetting[] {
  const document = file === undefined ? {} : readConfigFile(file, environment);
  return (Object.keys(SETTINGS) as SettingName[]).map((name) => {
    const { value, origin } = resolveSetting(name, {}, environment, document);
    const is_secret = /_(token|secret)$/.test(name) && value !== undefined;
    return { name, value: is_secret ? "(set)" : value, origin };
  });
}

function resolveSetting(
  name: SettingName,
  flags: Flags,
  environment: Environment,
  document: unknown,
) {
  const { flag, environment: variables, file, field, default: fallback } = SETTINGS[name];
  const variable = variables.find((key) => environment[key]);
  const candidates: [string, unknown][] = [
    [flag.split(" ")[0] ?? name, flags[name]],
    [variable ?? "", variable && environment[variable]],
    [`${file} in the configuration file`, at(document, file)],
    [
      "the default",
      fallback ?? (name === "data_dir" ? defaultDataDirectory(environment) : undefined),
    ],
  ];
  const [source, value] = candidates.find(([, given]) => given !== undefined) ?? ["", undefined];
  const result = field.safeParse(typeof value === "number" ? String(value) : value);
  if (result.success) return { value: result.data as unknown, origin: source || "not set" };
  throw usageError(`${source}: ${result.error.issues.map(reasonOf).join("; ")}`);
}

const reasonOf = (issue: z.core.$ZodIssue): string =>
  issue.code === "invalid_value" ? `must be one of ${issue.values.join(", ")}` : issue.message;

const at = (document: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (node, key) => (node as Record<string, unknown> | null | undefined)?.[key],
      document,
    );

/** A file, or a folder of them; what else these hold is the configuration document's. */
const readConfigFile = (path: string, environment: Environment): unknown =>
  toDocument(sourcesOf(path), environment, "");

interface ConfigSource {
  readonly file?: string | undefined;
  readonly text: string;
}

const sourcesOf = (path: string): ConfigSource[] =>
  filesOf(path).map((file) => ({ file, text: readText(file) }));

/** `unset` stands for a text with a variable that is not set. */
function toDocument(
  sources: readonly ConfigSource[],
  environment: Environment,
  unset: "" | undefined,
): unknown {
  const document = merged(sources);
  requireKnownSettings(document);
  return expand(document, environment, unset);
}

function merged(sources: readonly ConfigSource[]): unknown {
  const parts = sources.map(({ file, text }) => {
    const { value, problems } = parseYaml(text, file);
    const [problem] = problems;
    if (problem) throw usageError(describeProblem(problem));
    return typeof value === "object" ? value : undefined;
  });
  return Object.assign({}, ...parts);
}

/** Settings of the interface's file that mean nothing here (contract 0.7): no reason to refuse one. */
const WITHOUT_MEANING = ["engine.internal_port", "mcp.docs_url"];

const sectionOf = (path: string): string => path.split(".")[0] ?? "";

/** A setting that nobody reads is a slip: it would silently be as by default. */
function requireKnownSettings(document: unknown): void {
  const known = [...Object.values(SETTINGS).map(({ file }) => file), ...WITHOUT_MEANING];
  const sections = new Set(known.map(sectionOf));
  for (const section of sections) {
    const given = Object.keys((at(document, section) as object | null | undefined) ?? {});
    const unknown = given.map((key) => `${section}.${key}`).find((path) => !known.includes(path));
    if (unknown === undefined) continue;
    const close = known.find((path) => isClose(path, unknown));
    const hint = close ? `did you mean ${close}?` : "`troupe config show` lists the settings";
    throw usageError(`${unknown} in the configuration file: there is no such setting; ${hint}`);
  }
}

/** `${NAME}` in a text stands for the environment variable; one that is not set is empty. */
function expand(value: unknown, environment: Environment, unset: "" | undefined): unknown {
  if (typeof value === "string") {
    const names = [...value.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => name);
    if (unset === undefined && names.some((name) => !environment[name])) return undefined;
    return value.replace(/\$\{(\w+)\}/g, (_, name: string) => environment[name] ?? "");
  }
  if (Array.isArray(value)) return value.map((item) => expand(item, environment, unset));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, expand(item, environment, unset)]),
  );
}

/** Where the platform keeps programs' data. Throws when there is no home to put it in. */
export function defaultDataDirectory(environment: Environment): string {
  const home = environment.HOME ?? environment.USERPROFILE ?? homedir();
  if (process.platform === "win32") {
    return join(environment.LOCALAPPDATA ?? join(home, "AppData", "Local"), "troupe");
  }
  if (process.platform === "darwin") return join(home, "Library", "Application Support", "troupe");
  return join(environment.XDG_DATA_HOME ?? join(home, ".local", "share"), "troupe");
}
