import { createHash, randomBytes } from "node:crypto";
import { expect } from "vitest";
import type { Caller, TestApp } from "./app.ts";
import { MCP_URL } from "./mcp.ts";

export const REDIRECT = "http://127.0.0.1:3000/callback";
export const ISSUER = "http://127.0.0.1";

/** A verifier and the challenge that it meets (RFC 7636). */
export function pkce() {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

export const register = async (app: TestApp, metadata: object = {}) => {
  const nobody = await app.as("nobody");
  return nobody.post("/oauth/register", {
    redirect_uris: [REDIRECT],
    client_name: "Editor",
    ...metadata,
  });
};

/** What a client asks for, and the verifier that only it knows. */
export async function authorization(app: TestApp, more: Record<string, string> = {}) {
  const { body } = await register(app);
  const { verifier, challenge } = pkce();
  const request: Record<string, string> = {
    client_id: body.client_id,
    redirect_uri: REDIRECT,
    response_type: "code",
    state: "xyz",
    code_challenge: challenge,
    code_challenge_method: "S256",
    resource: MCP_URL,
    ...more,
  };
  return { request, verifier };
}

export const info = (caller: Caller, request: Record<string, string>) =>
  caller.get(`/oauth/authorize-info?${new URLSearchParams(request)}`);

/** Where the answer sends the client. */
export async function consent(
  admin: Caller,
  request: Record<string, string>,
  more: object = {},
): Promise<URL> {
  const { body } = await info(admin, request);
  const answer = await admin.post("/oauth/approve", {
    ...request,
    consent_nonce: body.consent_nonce,
    ...more,
  });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return new URL(answer.body.redirect_url);
}

export const postForm = async (app: TestApp, fields: Record<string, string> | string) => {
  const text = typeof fields === "string" ? fields : new URLSearchParams(fields).toString();
  return (await app.as("nobody")).post("/oauth/token", text);
};

/** A client with a code that it has not used yet. */
export async function authorized(app: TestApp, more: Record<string, string> = {}) {
  const { request, verifier } = await authorization(app, more);
  const url = await consent(await app.as("admin"), request);
  const fields = {
    grant_type: "authorization_code",
    client_id: request.client_id ?? "",
    redirect_uri: REDIRECT,
    code: url.searchParams.get("code") ?? "",
    code_verifier: verifier,
    resource: MCP_URL,
  };
  return { request, verifier, url, fields };
}

export async function connected(app: TestApp, more: Record<string, string> = {}) {
  const { fields } = await authorized(app, more);
  const { status, body } = await postForm(app, fields);
  expect(status).toBe(200);
  const refresh = (token: string) =>
    postForm(app, {
      grant_type: "refresh_token",
      client_id: fields.client_id,
      refresh_token: token,
    });
  return { ...body, fields, refresh } as {
    access_token: string;
    refresh_token: string;
    scope: string;
    fields: typeof fields;
    refresh: typeof refresh;
  };
}
