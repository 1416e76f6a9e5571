import type { RemoteResult, RemoteTool } from "../remote-tool.ts";
import type { LaunchProgram, Program } from "./launch.ts";

/** Where a server is, ready to be connected to. */
export type Target =
  | { readonly type: "program"; readonly program: Program; readonly launch: LaunchProgram }
  | {
      readonly type: "http" | "sse";
      readonly url: string;
      /** The secrets that it holds, if any, in each of their spellings. */
      readonly in_url?: readonly string[];
      readonly token: string | undefined;
      readonly fetch: typeof fetch;
    };

export interface ConnectionListener {
  /** The server says that its tools are others now. */
  onToolsChanged(): void;
  /** Once: the connection is gone, for this reason. */
  onClosed(reason: string): void;
}

export interface ConnectLimits {
  readonly timeout_ms: number;
  /** Aborts when nobody wants the connection any more. */
  readonly signal: AbortSignal;
}

/** What a call may take in all, however often its server tells of progress. */
export const CALL_TOTAL_MS = 600_000;

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Without a word from the server; progress counts as one. */
  readonly silence_ms: number;
  /** In all. */
  readonly total_ms: number;
  readonly idempotency_key: string;
}

/** A server that answers. Everything thrown is a ServerFailure. */
export interface Connection {
  listTools(): Promise<RemoteTool[]>;
  callTool(
    tool: RemoteTool,
    input: Record<string, unknown>,
    options: CallOptions,
  ): Promise<RemoteResult>;
  close(): Promise<void>;
}

/**
 * What went wrong: `refused` is the server's own answer to the request, which says nothing against the
 * server; `gone` is a session or connection that was lost before the request had reached it, `lost` one
 * that may have had its effect.
 */
export type FailureKind = "refused" | "timeout" | "gone" | "lost" | "cancelled";

export interface ServerFailure {
  readonly failure: FailureKind;
  readonly message: string;
}

export const isServerFailure = (thrown: unknown): thrown is ServerFailure =>
  typeof thrown === "object" && thrown !== null && "failure" in thrown;
