/** One consent: everything that was issued on it belongs to one family, and ends with it. */
export interface GrantRecord {
  readonly id: string;
  /** The client's id is long; this stands for it. */
  readonly client_uuid: string;
  readonly client_name: string;
  /** Where the code was sent, as a person was shown it. */
  readonly redirect_place: string;
  readonly scope: GrantScope;
  /** The only address that its tokens open. */
  readonly resource: string;
  /** Who consented. */
  readonly subject: string;
  readonly created_at: string;
  readonly revoked_at?: string | undefined;
}

export type GrantScope = "provision" | "manage";

/** A code or a refresh token: used once, and known only by its hash. */
export interface GrantSecretRecord {
  readonly hash: string;
  readonly grant_id: string;
  readonly kind: "code" | "refresh";
  /** Of a code: what the exchange must repeat, and the challenge that it must meet. */
  readonly redirect_uri?: string | undefined;
  readonly code_challenge?: string | undefined;
  readonly expires_at: string;
  readonly used_at?: string | undefined;
}

export interface GrantReads {
  /** Newest first; those that were revoked too. */
  list(): Promise<GrantRecord[]>;
  get(id: string): Promise<GrantRecord | undefined>;
  getSecret(hash: string): Promise<GrantSecretRecord | undefined>;
}

export interface GrantWrites extends GrantReads {
  insert(grant: GrantRecord): Promise<void>;
  revoke(id: string, revoked_at: string): Promise<void>;
  /** With everything that was issued to the client. Tells how many consents it had. */
  deleteByClient(client_uuid: string): Promise<number>;
  insertSecret(secret: GrantSecretRecord): Promise<void>;
  markUsed(hash: string, used_at: string): Promise<void>;
  /** Secrets that expired before then, and consents of which none is left. */
  deleteExpired(before: string): Promise<void>;
}
