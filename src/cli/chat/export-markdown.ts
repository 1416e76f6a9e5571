import type { PublicEvent } from "#engine/events/event.ts";
import { questionText } from "./block-layout.ts";
import type { EntryContent, ToolCall } from "./chat-entries.ts";
import { restoreSession } from "./restored-entries.ts";
import { sanitize, sanitizeLine } from "./sanitize.ts";
import { sourcesMarkdown } from "./sources.ts";

/** The last complete answer, without what sub-agents said to each other. */
export function lastAnswer(events: readonly PublicEvent[]): string | undefined {
  const last = events.findLast(
    ({ event_type, parent_call_id }) =>
      event_type === "assistant_message" && parent_call_id === undefined,
  );
  return last && sanitize(String(last.payload.content));
}

/** A session to read elsewhere. It is harmless also where a terminal prints it. */
export function sessionMarkdown(
  schema: string,
  session_id: string,
  events: readonly PublicEvent[],
): string {
  const head = `# Chat with ${schema}\n\nSession ${session_id}`;
  // Answers are taken whole: the pieces of a transcript repeat what a cut block begins with.
  const parts = restoreSession(events, (text) => [
    { kind: "assistant", source: text, opening: true, continued: false },
  ]).entries.map(entryMarkdown);
  return `${sanitize([head, ...parts.filter((part) => part !== "")].join("\n\n"))}\n`;
}

function entryMarkdown(entry: EntryContent): string {
  switch (entry.kind) {
    case "user":
      return `## You\n\n${entry.text}`;
    case "assistant":
      return `## Answer\n\n${entry.source}`;
    case "tool":
      return toolMarkdown(entry.call);
    case "sources":
      return sourcesMarkdown(entry.sources);
    case "block": {
      const { title, description, rows } = entry.block;
      const table = rows.map(({ label, value }) => item(label, value)).join("\n");
      return [title && `**${sanitizeLine(title)}**`, description, table]
        .filter(Boolean)
        .join("\n\n");
    }
    case "answered": {
      const answers = entry.answers.map(({ label, text }) => item(label, text));
      return [`**${sanitizeLine(entry.title) || "Answered"}**`, answers.join("\n")].join("\n\n");
    }
    case "notice":
      return `*${sanitizeLine(entry.text)}*`;
    default:
      return "";
  }
}

const item = (label: string, value: string): string =>
  `- ${questionText(label)}${sanitizeLine(value)}`;

function toolMarkdown({ tool, arguments: values, result }: ToolCall): string {
  const outcome = result ? (result.failed ? " failed" : "") : " has no result";
  const given = Object.entries(values ?? {}).map(([name, value]) => `${name}: ${value}`);
  return [
    `**Tool \`${sanitizeLine(tool)}\`${outcome}**`,
    ...[given.join("\n"), result?.content ?? ""].filter(Boolean).map(fenced),
  ].join("\n\n");
}

/** In a fence that is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
