import { sha256 } from "../kernel/ids.ts";

/** A tool as its server describes it. Nothing in here is to be believed. */
export interface RemoteTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Record<string, unknown>;
  readonly outputSchema?: unknown;
  readonly annotations?: {
    readonly readOnlyHint?: boolean | undefined;
    readonly destructiveHint?: boolean | undefined;
    readonly idempotentHint?: boolean | undefined;
  };
}

/** What a call came to, as the server tells it. */
export interface RemoteResult {
  readonly content?: readonly RemoteContent[] | undefined;
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

export interface RemoteContent {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly uri?: string;
  readonly name?: string;
  readonly resource?: {
    readonly uri?: string;
    readonly text?: string;
    readonly blob?: string;
    readonly mimeType?: string;
  };
}

const TOOLS_MAX = 256;
const DESCRIPTION_CHARACTERS_MAX = 8_192;
const SCHEMA_CHARACTERS_MAX = 32_768;

/** The tools of a server that can be used: not too many, none too large, each name once. */
export function usableTools(tools: readonly RemoteTool[]): RemoteTool[] {
  const usable = new Map<string, RemoteTool>();
  for (const tool of tools) {
    if (usable.size === TOOLS_MAX) break;
    if (usable.has(tool.name) || tool.name === "") continue;
    if (JSON.stringify(tool.inputSchema).length > SCHEMA_CHARACTERS_MAX) continue;
    const description = tool.description?.slice(0, DESCRIPTION_CHARACTERS_MAX);
    usable.set(tool.name, { ...tool, description });
  }
  return [...usable.values()];
}

/** Differs when a tool's definition does: what somebody approved was this one. */
export const digestOf = ({ name, description, inputSchema, annotations }: RemoteTool): string =>
  sha256(JSON.stringify([name, description, inputSchema, annotations])).slice(0, 32);

export type ToolDigests = Readonly<Record<string, string>>;

export const digestsOf = (tools: readonly RemoteTool[]): ToolDigests =>
  Object.fromEntries(tools.map((tool) => [tool.name, digestOf(tool)]));

export interface ToolChanges {
  readonly added: string[];
  readonly removed: string[];
  readonly changed: string[];
}

/** Undefined when nothing changed. */
export function changesOf(before: ToolDigests, after: ToolDigests): ToolChanges | undefined {
  const has = (digests: ToolDigests, name: string) => Object.hasOwn(digests, name);
  const changes = {
    added: Object.keys(after).filter((name) => !has(before, name)),
    removed: Object.keys(before).filter((name) => !has(after, name)),
    changed: Object.keys(after).filter((name) => has(before, name) && before[name] !== after[name]),
  };
  return Object.values(changes).some((names) => names.length > 0) ? changes : undefined;
}
