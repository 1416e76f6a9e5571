import { randomBytes } from "node:crypto";
import { Command } from "commander";
import { isLoopbackHost } from "#engine/auth/local-session.ts";
import type { Engine } from "#engine/engine.ts";
import { EngineError } from "#engine/kernel/error.ts";
import type { Logger } from "#engine/services.ts";
import { type Listener, listen } from "#server/listen.ts";
import { createServer } from "#server/server.ts";
import { readTextAsset, version } from "../assets.ts";
import { compose, lockDirectory } from "../compose.ts";
import { applyChanged, applyServed, servedDocument } from "../config/served-document.ts";
import { filesOf, readRunningServer, removeFile, replaceFile } from "../data-directory.ts";
import { DEMO_SCHEMA, installDemo } from "../demo/demo.ts";
import { createLog } from "../log.ts";
import { nextCommand } from "../next-command.ts";
import { EXIT, note, print, usageError } from "../output.ts";
import {
  defaultDataDirectory,
  type Flags,
  loadConfig,
  withoutMeaning,
} from "../settings/load-config.ts";
import { SETTINGS, type ServiceConfig, type SettingName } from "../settings/settings.ts";

/** Running turns get so long after the first signal to stop. */
const PATIENCE_MS = 25_000;

/** One server holds a data directory at a time; its turns are its own again after a crash. */
const OWNER = "server";

export function serveCommand(): Command {
  const command = new Command("serve")
    .description("Run the server: REST and streaming chat, on SQLite, with nothing to set up")
    .option(
      "--config <file>",
      "YAML file, or a folder of them: settings (docs/configuration.md) and what to serve (docs/configuration-as-code.md)",
    )
    .option("--watch", "apply what that file says of models, agents and so on whenever it changes")
    .option("--demo", "also create a schema to try everything with, offline and without a key");
  for (const { flag, environment, help, default: fallback } of Object.values(SETTINGS)) {
    const standard = fallback ? `, default ${fallback}` : "";
    command.option(flag, `${help} (${environment[0]}${standard})`);
  }
  return command.action((options: Record<string, string>) => serve(options));
}

async function serve({
  config: file,
  demo,
  watch,
  ...options
}: Record<string, string | boolean>): Promise<void> {
  if (watch && !file) throw usageError("--watch: needs --config, the file to watch");
  const path = file as string | undefined;
  const config = loadConfig(toFlags(options), process.env, path);
  const served = path === undefined ? undefined : servedDocument(path, process.env);
  const log = createLog({
    level: config.log_level,
    format: config.log_format,
    stream: process.stderr,
  });
  tellUnread(path, log);
  const files = filesOf(config.data_dir);
  const lock = lockDirectory(config.data_dir);
  if (!lock) throw alreadyServed(config.data_dir);
  const { engine, close } = await compose(config, {
    log,
    owner: OWNER,
    readDocument: served?.read,
  });
  try {
    const bootstrap_secret = isReachedHereAlone(config)
      ? undefined
      : randomBytes(32).toString("hex");
    const app = createServer({
      engine,
      log,
      version,
      local_sessions: { bootstrap_secret },
      cors_origins: config.cors_origins,
      public_url: config.public_base_url,
      ...(config.oauth_as_enabled
        ? { oauth: { issuer: config.oauth_issuer, consent_url: config.oauth_consent_url } }
        : {}),
      readAsset: readTextAsset,
    });
    // Nobody is let in before what is to be served is there.
    if (served) await applyServed(engine, log);
    const listener = await listen(app, config);
    if (bootstrap_secret) replaceFile(files.bootstrap_secret, bootstrap_secret);
    else removeFile(files.bootstrap_secret);
    await engine.start();
    const filling = demo ? await installDemo(engine, log) : undefined;
    replaceFile(files.server, JSON.stringify({ url: localUrl(listener.url), pid: process.pid }));
    print(`troupe listening on ${listener.url}`);
    welcome(config, demo === true);
    const changed = async () => {
      await applyChanged(engine, log);
      if (isOtherwise(config, () => loadConfig(toFlags(options), process.env, path)))
        log.warn({}, "settings of the server changed, too: they count from its next start on");
    };
    const watching = watch ? served?.watch(changed) : undefined;
    await signalled();
    watching?.stop();
    await filling?.stop();
    await shutDown(engine, listener);
  } finally {
    removeFile(files.server);
    await close();
    lock.release();
  }
}

/** Known to the interface's own file, and nothing that was overlooked here. */
function tellUnread(path: string | undefined, log: Logger): void {
  const unread = path === undefined ? [] : withoutMeaning(path);
  if (unread.length === 0) return;
  log.info({ places: unread.join(", ") }, "parts of the configuration file that mean nothing here");
}

/** Settings that can't be read have been complained of already. */
function isOtherwise(config: ServiceConfig, load: () => ServiceConfig): boolean {
  try {
    return JSON.stringify(load()) !== JSON.stringify(config);
  } catch {
    return false;
  }
}

/** New connections are refused at once, running turns may end, and what is left goes on next time. */
async function shutDown(engine: Engine, listener: Listener): Promise<void> {
  note("stopping: running turns get up to 25 s; once more to stop at once");
  process.once("SIGINT", leave).once("SIGTERM", leave);
  const closed = listener.close();
  await engine.stop(PATIENCE_MS);
  listener.closeNow();
  await closed;
}

/** Commander names an option `dataDir`; a setting is called `data_dir` everywhere. */
function toFlags(options: Record<string, string | boolean>): Flags {
  const names = Object.keys(SETTINGS) as SettingName[];
  const camel = (name: string) =>
    name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = options[camel(name)];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
}

const isLoopback = (host: string): boolean => /^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host);

/** A proxy that serves a public address passes on the requests of strangers as if they came from here. */
const isReachedHereAlone = ({ host, public_base_url }: ServiceConfig): boolean =>
  isLoopback(host) &&
  (public_base_url === undefined || isLoopbackHost(new URL(public_base_url).host));

/** A server on every address is reached at loopback from its own machine. */
const localUrl = (url: string): string =>
  url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");

function alreadyServed(data_dir: string): EngineError {
  const server = readRunningServer(data_dir);
  const first = server ? `the server at ${server.url} (process ${server.pid})` : "another process";
  return new EngineError(
    "unavailable",
    `${data_dir} is already served by ${first}; stop it first, or choose another directory with --data-dir`,
  );
}

function welcome({ data_dir }: ServiceConfig, demo: boolean): void {
  const place = data_dir === defaultDataDirectory(process.env) ? {} : { dataDir: data_dir };
  const command = (...words: string[]) => nextCommand(words, place);
  note(`  data in ${data_dir}`);
  if (demo) note(`  chat in another terminal:  ${command("chat", DEMO_SCHEMA)}`);
  else note(`  a schema to try:           ${command("serve", "--demo")}`);
  const token = command("tokens", "create", "--name", "my-app", "--scope", "chat");
  note(`  a token for programs:      ${token}`);
}

const signalled = (): Promise<void> =>
  new Promise((resolve) => {
    process.once("SIGINT", () => resolve()).once("SIGTERM", () => resolve());
  });

const leave = () => process.exit(EXIT.interrupted);
