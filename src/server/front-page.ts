import type { App } from "./http/mount.ts";

/** What a person sees who opens the address in a browser; programs are told as everywhere that there is nothing. */
export function mountFrontPage(
  app: App,
  { version, api_base }: { readonly version: string; readonly api_base: string },
): void {
  app.get("/", async (http, next) => {
    if (!http.req.header("Accept")?.includes("text/html")) return next();
    http.set("route", "/");
    return http.body(pageOf(version, api_base), 200, {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      "Cache-Control": "no-cache",
      Vary: "Accept",
    });
  });
}

const pageOf = (version: string, api_base: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>troupe</title>
<h1>troupe ${version}</h1>
<p>This server hosts AI agents. It has no pages to click through: people talk with its agents in a terminal, and
programs over HTTP.</p>
<ul>
<li>To chat, on the server's machine: <code>troupe chat</code>; elsewhere:
<code>troupe chat --url ADDRESS --token TOKEN</code></li>
<li>The interface, as OpenAPI: <a href="${api_base}/openapi.json">${api_base}/openapi.json</a></li>
<li>Whether all is well: <a href="/health">/health</a></li>
<li>For coding agents: <a href="/agent-setup/prompt.md">/agent-setup/prompt.md</a></li>
<li>Everything else: the folder <code>docs</code> of the project, and <code>troupe --help</code></li>
</ul>
</html>
`;
