import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ModelRecord } from "../models/model.ts";

/**
 * A chat model the engine can stream from. Only `doStream` of a provider package is used: the loop,
 * the retries and the budgets are the engine's own.
 */
export type ChatModel = Pick<LanguageModelV4, "doStream">;

export type ChatModelCall = LanguageModelV4CallOptions;

/** What is needed to build a model's client; `api_key` is already opened and lives in memory only. */
export interface ModelConnection {
  readonly type: string;
  readonly model_name: string;
  readonly base_url?: string | undefined;
  readonly api_key?: string | undefined;
  /** Of the deployment's interface (Azure only). */
  readonly api_version?: string | undefined;
  /** What the provider may remember of a prompt (Anthropic only). */
  readonly cache_control?: ModelRecord["cache_control"];
  /** Merged into every outgoing request body (types of the chat completions protocol only). */
  readonly extra_body?: Readonly<Record<string, unknown>> | undefined;
  /** Tokens the agent may fill; the local runtime needs it to size its window. 0 means unlimited. */
  readonly context_size?: number | undefined;
  /** A caller chose the address: it must not lead into the network that this server stands in. */
  readonly is_public_only?: boolean | undefined;
  /** What requests go through instead of the ordinary one. */
  readonly fetch?: typeof fetch | undefined;
}

/** Builds clients lazily, so that a process loads only the provider packages it uses. */
export type CreateChatModel = (connection: ModelConnection) => Promise<ChatModel>;
