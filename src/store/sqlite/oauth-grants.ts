import { and, desc, eq, lt, notExists, sql } from "drizzle-orm";
import type { GrantWrites } from "#engine/oauth/grant.ts";
import type { Db } from "./database.ts";
import { oauthGrants, oauthSecrets } from "./oauth-tables.ts";
import { maybe, present } from "./rows.ts";

export function oauthGrantRepository(db: Db): GrantWrites {
  return {
    list: async () =>
      db
        .select()
        .from(oauthGrants)
        .orderBy(desc(oauthGrants.created_at), desc(sql`rowid`))
        .all()
        .map(present),
    get: async (id) => maybe(db.select().from(oauthGrants).where(eq(oauthGrants.id, id)).get()),
    getSecret: async (hash) =>
      maybe(db.select().from(oauthSecrets).where(eq(oauthSecrets.hash, hash)).get()),
    async insert(grant) {
      db.insert(oauthGrants).values(grant).run();
    },
    async revoke(id, revoked_at) {
      db.update(oauthGrants).set({ revoked_at }).where(eq(oauthGrants.id, id)).run();
    },
    deleteByClient: async (client_uuid) =>
      db.delete(oauthGrants).where(eq(oauthGrants.client_uuid, client_uuid)).run().changes,
    async insertSecret(secret) {
      db.insert(oauthSecrets).values(secret).run();
    },
    async markUsed(hash, used_at) {
      db.update(oauthSecrets).set({ used_at }).where(eq(oauthSecrets.hash, hash)).run();
    },
    async deleteExpired(before) {
      db.delete(oauthSecrets).where(lt(oauthSecrets.expires_at, before)).run();
      const left = db.select().from(oauthSecrets).where(eq(oauthSecrets.grant_id, oauthGrants.id));
      db.delete(oauthGrants)
        .where(and(lt(oauthGrants.created_at, before), notExists(left)))
        .run();
    },
  };
}
