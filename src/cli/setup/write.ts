import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { EngineError } from "#engine/kernel/error.ts";
import { isObject } from "#engine/kernel/json.ts";
import { type CodingAgent, type Connection, SERVER_NAME } from "#server/setup/coding-agents.ts";
import { readIfThere, replaceFile } from "../data-directory.ts";

type Json = Record<string, unknown>;

/**
 * How a configuration file will read with the server in it; everything else in it stays. Throws `conflict`
 * for a file that can't be changed safely.
 */
export function withServer(file: string, agent: CodingAgent): (connection: Connection) => string {
  const text = readIfThere(file) ?? "";
  if (agent.json_key === undefined) {
    requireNoTable(file, text);
    const before = text === "" ? "" : `${text.trimEnd()}\n\n`;
    return (connection) => `${before}${String(agent.entry(connection))}\n`;
  }
  const document = parse(file, text);
  const servers = document[agent.json_key] ?? {};
  if (!isObject(servers)) throw byHand(file, `"${agent.json_key}" in it is not an object`);
  const key = agent.json_key;
  return (connection) => {
    const changed = { ...servers, [SERVER_NAME]: agent.entry(connection) };
    return `${JSON.stringify({ ...document, [key]: changed }, undefined, 2)}\n`;
  };
}

/** For this user alone, as there is a token in it. A link to a file elsewhere stays one. */
export function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  replaceFile(existsSync(file) ? realpathSync(file) : file, text);
}

function parse(file: string, text: string): Json {
  if (text.trim() === "") return {};
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw byHand(file, "it is not plain JSON; comments would be lost");
  }
  if (!isObject(document)) throw byHand(file, "it is not a JSON object");
  return document;
}

/** TOML has comments and an order of its own: a table is added, never changed. */
function requireNoTable(file: string, text: string): void {
  const table = new RegExp(`^\\s*\\[\\s*mcp_servers\\s*\\.\\s*"?${SERVER_NAME}"?\\s*\\]`, "m");
  if (table.test(text)) throw byHand(file, `it has a table mcp_servers.${SERVER_NAME} already`);
}

const byHand = (file: string, why: string) =>
  new EngineError(
    "conflict",
    `${file} is left as it is: ${why}. Run the command without --write and put in what it prints`,
  );
