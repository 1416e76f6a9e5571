import type { SecretBox } from "../kernel/secrets.ts";
import type { ModelRecord } from "../models/model.ts";
import type { ChatModel, CreateChatModel, ModelConnection } from "../providers/provider.ts";

/** A configured model, ready to be called. */
export interface ChatClient {
  readonly model: ChatModel;
  readonly connection: ModelConnection;
}

export interface ChatModels {
  /** `context_size` is what the agent may fill, in tokens; 0 means unlimited. */
  open(record: ModelRecord, context_size: number): Promise<ChatClient>;
  /** A caller's own model; its key is not kept. */
  openOwn(connection: ModelConnection): Promise<ChatClient>;
  /** What the client of a model is built from. Throws `unavailable` when its key can't be opened. */
  connect(record: ModelRecord, context_size: number): ModelConnection;
}

interface Dependencies {
  readonly create: CreateChatModel;
  readonly secrets: SecretBox;
  /** Reaches public addresses alone. */
  readonly publicFetch: typeof fetch;
}

const CLIENTS_MAX = 256;

/**
 * Keeps the clients of configured models: building one costs a provider package more than a short
 * turn does. A changed model has another record, and so a client of its own.
 */
export function createChatModels({ create, secrets, publicFetch }: Dependencies): ChatModels {
  const clients = new Map<string, ChatClient>();
  const connect: ChatModels["connect"] = (record, context_size) =>
    toConnection(record, context_size, secrets);
  return {
    async openOwn(given) {
      const connection = given.is_public_only ? { ...given, fetch: publicFetch } : given;
      return { model: await create(connection), connection };
    },
    connect,
    async open(record, context_size) {
      const key = JSON.stringify([record, context_size]);
      const known = clients.get(key);
      if (known) return known;
      const connection = connect(record, context_size);
      const client = { model: await create(connection), connection };
      if (clients.size >= CLIENTS_MAX) clients.clear();
      clients.set(key, client);
      return client;
    },
  };
}

const toConnection = (
  {
    type,
    model_name,
    base_url,
    sealed_api_key,
    api_version,
    extra_body,
    cache_control,
  }: ModelRecord,
  context_size: number,
  secrets: SecretBox,
): ModelConnection => ({
  type,
  model_name,
  base_url,
  api_key: sealed_api_key && secrets.open(sealed_api_key),
  api_version,
  extra_body,
  cache_control,
  context_size,
});
