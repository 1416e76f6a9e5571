import { z } from "zod";
import type { Context } from "../context.ts";
import { uuidOf } from "../kernel/ids.ts";
import { LIMITS } from "../kernel/limits.ts";
import { oauthError } from "./failure.ts";
import { isAllowedRedirect } from "./redirect.ts";
import { requireSigner } from "./signer.ts";

/** What a client says of itself (RFC 7591). */
export interface OAuthClient {
  readonly id: string;
  /** The id is long; this stands for it. */
  readonly uuid: string;
  readonly name: string;
  readonly redirect_uris: readonly string[];
}

const { redirect_uris, redirect_uri_characters, redirect_uris_bytes, client_name_characters } =
  LIMITS.oauth;

/**
 * Fields that we do not know are ignored, as RFC 7591 asks; how a client would prove itself, too: all are
 * public here, and their answer says so.
 */
export const ClientMetadata = z.object({
  redirect_uris: z.array(z.string()).describe("Where authorizations are sent"),
  client_name: z.string().optional().describe("What people are shown"),
});

/** Throws `invalid_redirect_uri`. */
export function requireMetadata(metadata: z.output<typeof ClientMetadata>) {
  const uris = metadata.redirect_uris;
  if (uris.length === 0 || uris.length > redirect_uris) {
    throw oauthError("invalid_redirect_uri", `redirect_uris: 1 to ${redirect_uris} are needed`);
  }
  if (Buffer.byteLength(uris.join("")) > redirect_uris_bytes) {
    throw oauthError("invalid_redirect_uri", `redirect_uris: ${redirect_uris_bytes} bytes at most`);
  }
  const bad = uris.find((uri) => uri.length > redirect_uri_characters || !isAllowedRedirect(uri));
  if (bad !== undefined) {
    throw oauthError(
      "invalid_redirect_uri",
      "redirect_uris: must be https, http at localhost or 127.0.0.1, or a scheme with a dot; without a fragment",
    );
  }
  return { redirect_uris: [...new Set(uris)], name: nameOf(metadata.client_name) };
}

/** People read it before they consent, so it is one short line of ordinary characters. */
function nameOf(given = ""): string {
  const line = given.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "").trim();
  return line.slice(0, client_name_characters) || "A client without a name";
}

/** The id is the registration itself, signed: strangers can register without filling a table. */
export const registerClient = (
  ctx: Context,
  { name, redirect_uris: uris }: ReturnType<typeof requireMetadata>,
): Promise<string> => requireSigner(ctx).sign("oauth-client+jwt", { name, uris }, ctx.now());

/** Throws `invalid_client`. */
export async function requireClient(ctx: Context, id: string | undefined): Promise<OAuthClient> {
  const signer = requireSigner(ctx);
  const claims = id ? await signer.verify("oauth-client+jwt", id, ctx.now()) : undefined;
  if (!id || !claims) {
    throw oauthError("invalid_client", "client_id: is not registered here; register again");
  }
  return {
    id,
    uuid: uuidOf(id),
    name: String(claims.name),
    redirect_uris: claims.uris as readonly string[],
  };
}
