import { z } from "zod";
import { notFound } from "../kernel/error.ts";
import { Nothing, PreciseTimestamp, Uuid } from "../kernel/fields.ts";
import { defineOperation } from "../operation.ts";
import { ClientMetadata, registerClient, requireMetadata } from "./client.ts";

/** Nothing is kept of it: see `registerClient`. */
export const register = defineOperation({
  name: "oauth.register",
  summary: "Register a client that will ask for consent",
  scope: "public",
  effect: "read",
  input: ClientMetadata,
  output: z.object({
    client_id: z.string(),
    /** Unix time in seconds. */
    client_id_issued_at: z.int(),
    client_name: z.string(),
    redirect_uris: z.array(z.string()),
    token_endpoint_auth_method: z.literal("none"),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
  }),
  run: async (ctx, input) => {
    const metadata = requireMetadata(input);
    return {
      client_id: await registerClient(ctx, metadata),
      client_id_issued_at: Math.floor(ctx.now().getTime() / 1000),
      client_name: metadata.name,
      redirect_uris: metadata.redirect_uris,
      token_endpoint_auth_method: "none" as const,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    };
  },
});

/** A client that somebody consented to. */
const ConsentedClient = z.object({
  id: Uuid,
  name: z.string(),
  /** The widest of its consents. */
  scope: z.enum(["provision", "manage"]),
  consented_by: z.string(),
  redirect_place: z.string(),
  created_at: PreciseTimestamp,
});

export const listClients = defineOperation({
  name: "oauth.clients.list",
  summary: "List the clients that have a consent, newest first",
  scope: "admin",
  effect: "read",
  input: z.object({}),
  output: z.array(ConsentedClient),
  run: async ({ read }) => {
    const grants = (await read.oauth_grants.list()).filter(({ revoked_at }) => !revoked_at);
    const clients = new Map<string, z.input<typeof ConsentedClient>>();
    for (const { client_uuid, client_name, redirect_place, scope, subject, created_at } of grants) {
      const known = clients.get(client_uuid);
      const widest = scope === "manage" || known?.scope === "manage" ? "manage" : "provision";
      clients.set(client_uuid, {
        id: client_uuid,
        name: client_name,
        consented_by: subject,
        redirect_place,
        created_at,
        ...known,
        scope: widest,
      });
    }
    return [...clients.values()];
  },
});

export const removeClient = defineOperation({
  name: "oauth.clients.remove",
  summary: "Take back every consent of a client; its tokens stop working at once",
  scope: "admin",
  effect: "destroy",
  input: z.object({ id: Uuid }),
  output: Nothing,
  run: (ctx, { id }) =>
    ctx.write(async (tx) => {
      if ((await tx.oauth_grants.deleteByClient(id)) === 0) throw notFound("client", id);
      return undefined;
    }),
});
