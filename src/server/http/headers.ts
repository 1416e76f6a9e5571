import type { MiddlewareHandler } from "hono";

const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline' https://fonts.googleapis.com",
  "font-src 'self' https://fonts.gstatic.com data:",
  "img-src 'self' data: https:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "strict-origin-when-cross-origin",
  "X-Frame-Options": "DENY",
  "Content-Security-Policy": CONTENT_SECURITY_POLICY,
} as const;

const ONE_YEAR = "max-age=31536000; includeSubDomains";

/** The headers of contract 0.6, on every answer. */
export const securityHeaders: MiddlewareHandler = async (http, next) => {
  await next();
  const { headers } = http.res;
  for (const [name, value] of Object.entries(HEADERS)) {
    if (!headers.has(name)) headers.set(name, value);
  }
  const secure =
    http.req.url.startsWith("https:") || http.req.header("X-Forwarded-Proto") === "https";
  if (secure) headers.set("Strict-Transport-Security", ONE_YEAR);
};
