import type { App } from "./http/mount.ts";
import { CONSENT_PATH } from "./http/oauth-place.ts";

/** A file that comes with the product, by its path in the checkout. */
export type ReadAsset = (name: string) => string;

/** Nothing from elsewhere, no frame around it, and no window that opened it keeps a hold on it. */
const HEADERS = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
};

const FILES = [
  ["", "html", "text/html; charset=utf-8"],
  [".js", "js", "text/javascript; charset=utf-8"],
  [".css", "css", "text/css; charset=utf-8"],
] as const;

/** The page where an administrator says yes or no; its script does the rest over the API. */
export function mountConsentPage(app: App, readAsset: ReadAsset): void {
  for (const [ending, extension, type] of FILES) {
    const path = CONSENT_PATH + ending;
    app.get(path, (http) => {
      http.set("route", path);
      const text = readAsset(`assets/consent/consent.${extension}`);
      return http.body(text, 200, { ...HEADERS, "Content-Type": type });
    });
  }
}
