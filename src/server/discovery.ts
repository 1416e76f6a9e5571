import type { ReadAsset } from "./consent-page.ts";
import type { App } from "./http/mount.ts";
import {
  MCP_PATH,
  type OAuthAddress,
  placeOf,
  RESOURCE_METADATA_PATH,
  requirePlace,
} from "./http/oauth-place.ts";
import { baseUrlOf } from "./http/own-address.ts";
import type { HttpContext } from "./http/route.ts";
import { MCP_INSTRUCTIONS, MCP_SERVER_NAME, MCP_SERVER_TITLE } from "./mcp/about.ts";
import { setupPrompt } from "./setup/prompt.ts";

const CARD_PATH = "/.well-known/mcp/server-card.json";
const PROMPT_PATH = "/agent-setup/prompt.md";
const AUTHORIZATION_SERVER_PATH = "/.well-known/oauth-authorization-server";

/** How clients that know nothing but the address of `/mcp/rpc` find their way in (RFC 8414 and 9728). */
export function mountOAuthDiscovery(app: App, address: OAuthAddress): void {
  const serve = (path: string, document: (http: HttpContext) => object) =>
    app.get(path, (http) => {
      http.set("route", path);
      return Response.json(document(http), { headers: { "Cache-Control": "no-store" } });
    });
  const resource = (http: HttpContext) => resourceMetadata(http, address);
  serve(AUTHORIZATION_SERVER_PATH, (http) => serverMetadata(http, address));
  serve(RESOURCE_METADATA_PATH, resource);
  serve(RESOURCE_METADATA_PATH + MCP_PATH, resource);
}

/** What a client or a coding agent reads before it connects (contract 4.15). */
export function mountSetup(
  app: App,
  address: OAuthAddress,
  { version, readAsset }: { version: string; readAsset: ReadAsset },
): void {
  app.get(CARD_PATH, (http) => {
    http.set("route", CARD_PATH);
    return Response.json(serverCard(http, address, version));
  });
  app.get(PROMPT_PATH, (http) => {
    http.set("route", PROMPT_PATH);
    const known = baseUrlOf(http, address);
    const base = known ?? askedAt(http);
    const text = setupPrompt(readAsset("assets/agent-setup.md"), {
      base,
      endpoint: base + MCP_PATH,
      has_oauth: placeOf(http, address) !== undefined,
    });
    return http.body(text, 200, {
      "Content-Type": "text/markdown; charset=utf-8",
      // What a stranger's Host made of it is not kept for others.
      "Cache-Control": known ? "public, max-age=300" : "no-store",
    });
  });
}

function serverCard(http: HttpContext, address: OAuthAddress, version: string): object {
  return {
    name: MCP_SERVER_NAME,
    title: MCP_SERVER_TITLE,
    description: "Create and change AI agents, their documents and their chats on this server.",
    version,
    endpoint: (baseUrlOf(http, address) ?? "") + MCP_PATH,
    transport: "streamable-http",
    capabilities: { tools: {} },
    authentication: {
      schemes: placeOf(http, address) ? ["bearer", "oauth2"] : ["bearer"],
      scopes: ["provision", "manage"],
    },
    instructions: MCP_INSTRUCTIONS,
  };
}

/** What the caller, or the proxy before us, says that this server is called. */
function askedAt(http: HttpContext): string {
  const scheme = http.req.header("X-Forwarded-Proto") === "https" ? "https" : "http";
  return `${scheme}://${http.req.header("Host") ?? new URL(http.req.url).host}`;
}

function serverMetadata(http: HttpContext, address: OAuthAddress): object {
  const { issuer, consent_url } = requirePlace(http, address);
  return {
    issuer,
    authorization_endpoint: consent_url,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    scopes_supported: ["provision", "manage", "offline_access"],
    authorization_response_iss_parameter_supported: true,
  };
}

function resourceMetadata(http: HttpContext, address: OAuthAddress): object {
  const { issuer, resource } = requirePlace(http, address);
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: ["provision", "manage"],
    bearer_methods_supported: ["header"],
    resource_name: "troupe provisioning",
  };
}
