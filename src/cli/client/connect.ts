import { filesOf, readIfThere, readRunningServer } from "../data-directory.ts";
import { usageError } from "../output.ts";
import { type Environment, type Flags, loadConfig } from "../settings/load-config.ts";
import type { ServiceConfig } from "../settings/settings.ts";
import type { Client } from "./client.ts";

/** Where a client command works: the flags that every one of them has. */
export interface ConnectFlags {
  readonly url?: string;
  readonly token?: string;
  readonly dataDir?: string;
}

/**
 * A remote server when one is named, else the local data directory. With `prefer_server`, a server
 * that runs on that directory is used: only it knows the turns it works on.
 */
export async function connect(
  flags: ConnectFlags,
  environment: Environment,
  { prefer_server = false } = {},
): Promise<Client> {
  const url = flags.dataDir === undefined ? (flags.url ?? environment.SERVICE_URL) : flags.url;
  const token = flags.token ?? environment.SERVICE_TOKEN;
  if (url !== undefined && flags.dataDir !== undefined) {
    throw usageError(
      "--url and --data-dir exclude each other: one names a server, the other a directory",
    );
  }
  const config = loadConfig(localFlags(flags), environment);
  if (url !== undefined) return openRemote(requireUrl(url), token, config);
  const running = prefer_server ? await runningServer(config.data_dir) : undefined;
  if (running) return openRemote(running, undefined, config);
  const { openLocalClient } = await import("./local-client.ts");
  return openLocalClient(config);
}

const localFlags = ({ dataDir }: ConnectFlags): Flags =>
  dataDir === undefined ? {} : { data_dir: dataDir };

async function openRemote(
  url: string,
  token: string | undefined,
  config: ServiceConfig,
): Promise<Client> {
  const { openRemoteClient } = await import("./remote-client.ts");
  const secret = isLoopback(url)
    ? readIfThere(filesOf(config.data_dir).bootstrap_secret)
    : undefined;
  return openRemoteClient({ url, token, bootstrap_secret: secret?.trim() });
}

function requireUrl(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw usageError(`--url: "${url}" is not an http or https URL`);
}

const isLoopback = (url: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);

/** The address of the server on this directory, if one answers there. */
export async function runningServer(data_dir: string): Promise<string | undefined> {
  const server = readRunningServer(data_dir);
  if (!server) return undefined;
  try {
    const response = await fetch(`${server.url}/health`, { signal: AbortSignal.timeout(2_000) });
    return response.ok || response.status === 503 ? server.url : undefined;
  } catch {
    return undefined;
  }
}
