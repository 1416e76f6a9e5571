import type { RemoteContent, RemoteResult } from "./remote-tool.ts";

/** What a model can take in of one answer, with room for the rest of its context. */
const TEXT_CHARACTERS_MAX = 64_000;

/** An answer as a model reads it: texts as they are, and of what is no text what it is. */
export function textOfResult({ content = [], structuredContent }: RemoteResult): string {
  const texts = content.map(textOfContent);
  // Servers repeat what is structured as text, as the protocol asks of them; the others' is shown here.
  const structured = content.length === 0 && structuredContent !== undefined;
  const text = structured ? JSON.stringify(structuredContent) : texts.join("\n");
  return bounded(text === "" ? "(empty result)" : text);
}

function textOfContent(part: RemoteContent): string {
  const { type, text, data, mimeType = "unknown type", uri, name, resource } = part;
  switch (type) {
    case "text":
      return text ?? "";
    case "image":
    case "audio":
      return `[${type}: ${mimeType}, ${sizeOf(data)}; it cannot be shown here]`;
    case "resource":
      return resource?.text === undefined
        ? `[resource ${resource?.uri}: ${resource?.mimeType ?? "binary"}, ${sizeOf(resource?.blob)}; it cannot be shown here]`
        : `[resource ${resource.uri}]\n${resource.text}`;
    case "resource_link":
      return `[link to resource ${name ?? ""} ${uri ?? ""}]`;
    default:
      return `[content of type ${type}]`;
  }
}

const sizeOf = (base64 = ""): string => `${Math.floor((base64.length * 3) / 4)} bytes`;

function bounded(text: string): string {
  if (text.length <= TEXT_CHARACTERS_MAX) return text;
  const shown = text.slice(0, TEXT_CHARACTERS_MAX).toWellFormed();
  return `${shown}\n[truncated: ${TEXT_CHARACTERS_MAX} of ${text.length} characters are shown]`;
}
