/** Where the authorization server and what it guards are, as the caller of this request reached them. */
export interface OAuthPlace {
  readonly issuer: string;
  /** The whole address of `/mcp/rpc`: tokens open this and nothing else (RFC 8707). */
  readonly resource: string;
  readonly consent_url: string;
}

/** For tables that only name the operations. */
export const NOWHERE: OAuthPlace = { issuer: "", resource: "", consent_url: "" };
