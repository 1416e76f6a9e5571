import { describe, expect, test } from "vitest";
import type { GrantRecord, GrantSecretRecord } from "#engine/oauth/grant.ts";
import { STORES } from "./stores.ts";

const day = (n: number) => `2026-03-0${n}T00:00:00.000Z`;

const grant = (id: string, fields: Partial<GrantRecord> = {}): GrantRecord => ({
  id,
  client_uuid: "client",
  client_name: "Editor",
  redirect_place: "127.0.0.1",
  scope: "provision",
  resource: "http://127.0.0.1/api/v1/mcp/rpc",
  subject: "ann",
  created_at: day(1),
  ...fields,
});

const secret = (
  hash: string,
  grant_id: string,
  fields: Partial<GrantSecretRecord> = {},
): GrantSecretRecord => ({ hash, grant_id, kind: "refresh", expires_at: day(5), ...fields });

describe.each(STORES)("consents in the $name store", ({ open }) => {
  test("come back as they were, newest first", async () => {
    const store = open();
    const old = grant("old");
    const recent = grant("recent", { created_at: day(2), revoked_at: day(3), scope: "manage" });
    const code = secret("h", "old", { kind: "code", redirect_uri: "x", code_challenge: "y" });
    await store.write(async (tx) => {
      await tx.oauth_grants.insert(old);
      await tx.oauth_grants.insert(recent);
      await tx.oauth_grants.insertSecret(code);
      await tx.oauth_grants.markUsed("h", day(2));
      await tx.oauth_grants.revoke("old", day(4));
    });
    const { oauth_grants } = store.read;
    expect(await oauth_grants.list()).toEqual([recent, { ...old, revoked_at: day(4) }]);
    expect(await oauth_grants.getSecret("h")).toEqual({ ...code, used_at: day(2) });
    expect(await oauth_grants.getSecret("other")).toBeUndefined();
  });

  test("take what was issued on them along", async () => {
    const store = open();
    const removed = await store.write(async (tx) => {
      await tx.oauth_grants.insert(grant("a"));
      await tx.oauth_grants.insert(grant("b", { client_uuid: "another" }));
      await tx.oauth_grants.insertSecret(secret("of-a", "a"));
      await tx.oauth_grants.insertSecret(secret("of-b", "b"));
      return tx.oauth_grants.deleteByClient("client");
    });
    expect(removed).toBe(1);
    expect(await store.read.oauth_grants.getSecret("of-a")).toBeUndefined();
    expect(await store.read.oauth_grants.getSecret("of-b")).toBeDefined();
  });

  test("are forgotten once nothing that was issued on them is left", async () => {
    const store = open();
    await store.write(async (tx) => {
      for (const id of ["over", "going-on", "refused", "just-now"]) {
        await tx.oauth_grants.insert(
          grant(id, { created_at: id === "just-now" ? day(4) : day(1) }),
        );
      }
      await tx.oauth_grants.insertSecret(secret("over", "over", { expires_at: day(2) }));
      await tx.oauth_grants.insertSecret(secret("first", "going-on", { expires_at: day(2) }));
      await tx.oauth_grants.insertSecret(secret("next", "going-on", { expires_at: day(9) }));
      await tx.oauth_grants.deleteExpired(day(3));
    });
    const left = await store.read.oauth_grants.list();
    expect(left.map(({ id }) => id).sort()).toEqual(["going-on", "just-now"]);
    expect(await store.read.oauth_grants.getSecret("first")).toBeUndefined();
    expect(await store.read.oauth_grants.getSecret("next")).toBeDefined();
  });
});
