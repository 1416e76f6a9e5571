import type { MarkedToken, Token } from "marked";
import { sanitize } from "./sanitize.ts";
import { type Span, type Style, span } from "./styled-line.ts";

/** What stands inside a paragraph, a heading or a cell, as styled text. */
export const inlineSpans = (tokens: readonly Token[], style: Style = {}): Span[] =>
  tokens.flatMap((token) => tokenSpans(token as MarkedToken, style));

function tokenSpans(token: MarkedToken, style: Style): Span[] {
  switch (token.type) {
    case "strong":
      return inlineSpans(token.tokens, { ...style, bold: true });
    case "em":
      return inlineSpans(token.tokens, { ...style, italic: true });
    case "del":
      return inlineSpans(token.tokens, { ...style, strike: true });
    case "codespan":
      return [safeSpan(token.text, { ...style, colour: "cyan" })];
    case "br":
      return [span("\n", style)];
    case "link":
      return linkSpans(inlineSpans(token.tokens, linkStyle(token.href, style)), token.href, style);
    case "image":
      return linkSpans(
        [safeSpan(`[image: ${token.text}]`, linkStyle(token.href, style))],
        token.href,
        style,
      );
    case "html":
      return [span(/^<br\s*\/?>$/i.test(token.raw) ? "\n" : sanitize(token.raw), style)];
    case "text":
      return token.tokens ? inlineSpans(token.tokens, style) : [safeSpan(token.text, style)];
    case "escape":
      return [safeSpan(token.text, style)];
    case "checkbox":
      return [];
    default:
      return [safeSpan(token.raw, style)];
  }
}

/** The parser resolves character references, and those may name any control character. */
const safeSpan = (text: string, style: Style): Span => span(sanitize(text), style);

const linkStyle = (href: string, style: Style): Style => ({
  ...style,
  underline: true,
  href: safeHref(href),
});

/** The address is written out where the text does not show it: no link hides where it leads. */
function linkSpans(label: Span[], href: string, style: Style): Span[] {
  const shown = label.map(({ text }) => text).join("");
  const address = safeHref(href) ?? sanitize(href);
  const is_shown =
    [href, address, address.replace(/\/$/, "")].includes(shown) ||
    [`mailto:${shown}`, `http://${shown}`].includes(href);
  return is_shown ? label : [...label, span(` (${address})`, { ...style, dim: true })];
}

/** Web addresses alone are made clickable, written the way the parser of addresses reads them. */
export function safeHref(href: string): string | undefined {
  const url = URL.parse(href);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") return undefined;
  return /^[!-~]+$/.test(url.href) ? url.href : undefined;
}
