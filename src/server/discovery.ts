import type { App } from "./http/mount.ts";
import {
  MCP_PATH,
  type OAuthAddress,
  RESOURCE_METADATA_PATH,
  requirePlace,
} from "./http/oauth-place.ts";
import type { HttpContext } from "./http/route.ts";

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
