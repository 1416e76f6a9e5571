import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const oauthGrants = sqliteTable(
  "oauth_grants",
  {
    id: text().primaryKey(),
    client_uuid: text().notNull(),
    client_name: text().notNull(),
    redirect_place: text().notNull(),
    scope: text({ enum: ["provision", "manage"] }).notNull(),
    resource: text().notNull(),
    subject: text().notNull(),
    created_at: text().notNull(),
    revoked_at: text(),
  },
  (table) => [index("oauth_grants_client").on(table.client_uuid)],
);

/** Codes and refresh tokens, by their hashes: what is in here lets nobody in. */
export const oauthSecrets = sqliteTable(
  "oauth_secrets",
  {
    hash: text().primaryKey(),
    grant_id: text()
      .notNull()
      .references(() => oauthGrants.id, { onDelete: "cascade" }),
    kind: text({ enum: ["code", "refresh"] }).notNull(),
    redirect_uri: text(),
    code_challenge: text(),
    expires_at: text().notNull(),
    used_at: text(),
  },
  (table) => [
    index("oauth_secrets_grant").on(table.grant_id),
    index("oauth_secrets_expires").on(table.expires_at),
  ],
);
