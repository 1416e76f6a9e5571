import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  type VersionNegotiationMode,
} from "@modelcontextprotocol/client";
import type { RemoteResult, RemoteTool } from "../remote-tool.ts";
import {
  type Connection,
  type ConnectionListener,
  type ConnectLimits,
  type FailureKind,
  isServerFailure,
  type ServerFailure,
  type Target,
} from "./connection.ts";
import { createProgramTransport } from "./program-transport.ts";

/** Within this a program that knows the newest revision of the protocol has said so. */
const PROBE_MS = 3_000;

/** Connects, in the newest revision that the server knows. Throws a ServerFailure. */
export async function connectTo(
  target: Target,
  version: string,
  listener: ConnectionListener,
  limits: ConnectLimits,
): Promise<Connection> {
  if (target.type !== "program") {
    const mode = target.type === "sse" ? "legacy" : "auto";
    return open(target, mode, version, listener, limits);
  }
  try {
    return await open(target, "auto", version, listener, limits);
  } catch (error) {
    // Some programs end when they are asked something before they were greeted.
    if (limits.signal.aborted || !(isServerFailure(error) && error.failure === "lost")) throw error;
    return open(target, "legacy", version, listener, limits);
  }
}

async function open(
  target: Target,
  mode: VersionNegotiationMode,
  version: string,
  listener: ConnectionListener,
  limits: ConnectLimits,
): Promise<Connection> {
  const { timeout_ms, signal } = limits;
  const client = new Client(
    { name: "troupe", version },
    {
      versionNegotiation: { mode, probe: { timeoutMs: Math.min(PROBE_MS, timeout_ms) } },
      listChanged: { tools: { autoRefresh: false, onChanged: () => listener.onToolsChanged() } },
    },
  );
  const transport = failWhenCutOff(transportTo(target));
  let last_problem = "";
  let is_open = false;
  client.onerror = (error) => {
    last_problem = textOf(error);
    // The stream for the server's own messages is lost, after its transport has tried to get it back.
    if (is_open && /Maximum reconnection attempts/.test(error.message)) void client.close();
  };
  client.onclose = () => {
    if (is_open) listener.onClosed(last_problem || "the server closed the connection");
    is_open = false;
  };
  const giveUp = () => void transport.close();
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    signal.throwIfAborted();
    await client.connect(transport, { timeout: timeout_ms, maxTotalTimeout: timeout_ms });
  } catch (error) {
    const failure = toFailure(error, last_problem);
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
    throw failure;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
  is_open = true;
  return connectionOf(client, transport, timeout_ms, () => last_problem);
}

function transportTo(target: Target): Transport {
  if (target.type === "program") return createProgramTransport(target.launch, target.program);
  const { url, token, fetch } = target;
  const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
  const options = { fetch, requestInit: { headers } };
  return target.type === "sse"
    ? new SSEClientTransport(new URL(url), options)
    : new StreamableHTTPClientTransport(new URL(url), options);
}

function connectionOf(
  client: Client,
  transport: Transport,
  list_ms: number,
  lastProblem: () => string,
): Connection {
  const attempt = async <Result>(
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw toFailure(error, lastProblem(), signal);
    }
  };
  return {
    listTools: () =>
      attempt(async () => {
        const options = { timeout: list_ms, cacheMode: "refresh" } as const;
        const { tools } = await client.listTools(undefined, options);
        return tools as RemoteTool[];
      }),
    callTool: (tool, input, { signal, silence_ms, total_ms, idempotency_key }) =>
      attempt(async () => {
        const { outputSchema, ...definition } = tool;
        const result = await client.callTool(
          { name: tool.name, arguments: input, _meta: { idempotencyKey: idempotency_key } },
          {
            signal,
            timeout: silence_ms,
            maxTotalTimeout: total_ms,
            resetTimeoutOnProgress: true,
            onprogress: () => undefined,
            // The answer is for a model to read: whether it keeps its promised form is not checked.
            toolDefinition: definition as never,
          },
        );
        return result as RemoteResult;
      }, signal),
    async close() {
      if (transport instanceof StreamableHTTPClientTransport)
        await transport.terminateSession().catch(() => undefined);
      await client.close();
      await transport.close();
    },
  };
}

const CUT_OFF = "the answer was cut off";

/** Without this, a request whose answer ends early would wait until its time is over. */
function failWhenCutOff(transport: Transport): Transport {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const id = "method" in message && "id" in message ? message.id : undefined;
    if (id === undefined) return send(message, options);
    const error = { code: ProtocolErrorCode.InternalError, message: CUT_OFF };
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      transport.onmessage?.({ jsonrpc: "2.0", id, error });
    };
    return send(message, { ...options, onRequestStreamEnd });
  };
  return transport;
}

function toFailure(error: unknown, last_problem: string, signal?: AbortSignal): ServerFailure {
  const message = textOf(error);
  const explained = last_problem === "" ? message : `${message} (${last_problem})`;
  if (signal?.aborted) return { failure: "cancelled", message };
  if (message.endsWith(CUT_OFF)) return { failure: "lost", message: explained };
  if (error instanceof ProtocolError) return { failure: "refused", message };
  if (error instanceof SdkHttpError) return { failure: httpFailure(error.status), message };
  if (error instanceof SdkError) return { failure: sdkFailure(error), message: explained };
  return { failure: NOT_REACHED.test(message) ? "gone" : "lost", message };
}

/** A session that the server does not know is refused before anything is done. */
function httpFailure(status: number): FailureKind {
  if (status === 404) return "gone";
  return status < 500 ? "refused" : "lost";
}

function sdkFailure({ code }: SdkError): FailureKind {
  switch (code) {
    case SdkErrorCode.RequestTimeout:
      return "timeout";
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.SendFailed:
      return "gone";
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.EraNegotiationFailed:
      return "lost";
    default:
      return "refused";
  }
}

const NOT_REACHED =
  /Not connected|not running|cannot be started|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT|public one/;

/**
 * With what lies behind it: fetch says of itself only that it failed. What the other side answered is left
 * out: readers of a status are not to learn what stands at an address.
 */
function textOf(error: unknown): string {
  if (error instanceof SdkHttpError) return `the server answered HTTP ${error.status}`;
  if (!(error instanceof Error)) return String(error);
  let text = error.message;
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    const { code = cause.name } = cause as NodeJS.ErrnoException;
    const reason = cause.message || code;
    if (!text.includes(reason)) text += `: ${reason}`;
  }
  return text.replace(POSTED, "$1").replace(NO_JSON, "the answer is not valid JSON");
}

/** How the SDK and the parser of JSON quote an answer's body. */
const POSTED = /(Error POSTing to endpoint(?: \(HTTP \d+\))?): [\s\S]*/;
const NO_JSON = /(?:Unexpected token[\s\S]*|"[\s\S]*" )is not valid JSON/;
