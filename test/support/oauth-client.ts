import { EventEmitter, once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type {
  OAuthClientInformationMixed,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import { onTestFinished } from "vitest";

/** Where the browser is sent with answers. */
export async function listenForCallback() {
  const arrivals = new EventEmitter();
  const answers: URLSearchParams[] = [];
  const server: Server = createServer((request, response) => {
    response.setHeader("Content-Type", "text/html").end("<h1>You can go back now</h1>");
    const url = new URL(request.url ?? "", "http://x");
    if (url.pathname !== "/callback") return;
    answers.push(url.searchParams);
    arrivals.emit("answer");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    redirect_url: `http://127.0.0.1:${port}/callback`,
    /** Resolves with the query of the next answer. */
    async next(): Promise<URLSearchParams> {
      if (answers.length === 0) await once(arrivals, "answer");
      return answers.shift() ?? new URLSearchParams();
    },
  };
}

/** The protocol's own client with nothing but an address: it finds out the rest, up to the browser. */
export function oauthClient(endpoint: string, { redirect_url }: { redirect_url: string }) {
  let information: OAuthClientInformationMixed | undefined;
  let tokens: OAuthTokens | undefined;
  let verifier = "";
  let consent_url: URL | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl: redirect_url,
    clientMetadata: {
      client_name: "Editor",
      redirect_uris: [redirect_url],
      token_endpoint_auth_method: "none",
    },
    state: () => "state-of-the-client",
    clientInformation: () => information,
    saveClientInformation: (saved) => {
      information = saved;
    },
    tokens: () => tokens,
    saveTokens: (saved) => {
      tokens = saved;
    },
    redirectToAuthorization: (url) => {
      consent_url = url;
    },
    saveCodeVerifier: (saved) => {
      verifier = saved;
    },
    codeVerifier: () => verifier,
  };
  const connect = async (code?: string): Promise<Client> => {
    const transport = new StreamableHTTPClientTransport(new URL(endpoint), {
      authProvider: provider,
    });
    if (code !== undefined) await transport.finishAuth(code);
    const client = new Client({ name: "editor", version: "1" });
    // The SDK's own types disagree under `exactOptionalPropertyTypes`.
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    return client;
  };
  return {
    connect,
    consentUrl: () => consent_url?.href ?? "",
    tokens: () => tokens,
    /** With a refresh token this client would try that first, which gives no more than before. */
    loseRefreshToken: () => {
      if (tokens) tokens = { ...tokens, refresh_token: undefined };
    },
    /** As after half an hour. */
    loseAccessToken: () => {
      if (tokens) tokens = { ...tokens, access_token: "expired" };
    },
  };
}
