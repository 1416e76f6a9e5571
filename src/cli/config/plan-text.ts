import type { z } from "zod";
import type { ConfigPlan } from "#engine/config/operations.ts";
import { safeJson, sanitize } from "../chat/sanitize.ts";

type Plan = z.output<typeof ConfigPlan>;
type Change = Plan["changes"][number];
type FieldChange = Change["fields"][number];
type Action = Change["action"];

export interface PlanStyle {
  readonly colour: boolean;
}

const SIGNS: Readonly<Record<Action, string>> = { create: "+", update: "~", delete: "-" };
const COLOURS = { "+": 32, "~": 33, "-": 31 } as const;
type Sign = keyof typeof COLOURS;

const SHOWN_CHARACTERS = 100;
const SHOWN_LINES = 20;

/** A plan for people: what is made, changed and removed, field by field. Nothing in it can steer a terminal. */
export function planText({ changes, unchanged }: Plan, style: PlanStyle): string {
  const lines = changes.flatMap((change) => changeLines(change, style));
  return [...lines, summaryOf(changes, unchanged)].join("\n");
}

function summaryOf(changes: readonly Change[], unchanged: number): string {
  const count = (action: Action) => changes.filter((change) => change.action === action).length;
  if (changes.length === 0) return `Nothing to change; ${unchanged} as they should be.`;
  return `${count("create")} to create, ${count("update")} to change, ${count("delete")} to remove, ${unchanged} as they should be.`;
}

function changeLines({ action, section, name, fields }: Change, style: PlanStyle): string[] {
  const sign = SIGNS[action] as Sign;
  const head = paint(sign, `${sign} ${section}.${sanitize(name)}`, style);
  if (action === "delete") return [head];
  return [head, ...fields.flatMap((field) => fieldLines(field, action, style))];
}

function fieldLines(change: FieldChange, action: Action, style: PlanStyle): string[] {
  const { field, before, after, is_secret } = change;
  if (is_secret) return [`    ${field}: (a secret, not shown)`];
  if (action === "create") return [`    ${field}: ${valueText(after)}`];
  if (isText(before) && isText(after) && /\n/.test(before + after)) {
    return [`    ${field}:`, ...lineChanges(before, after, style)];
  }
  if (Array.isArray(before) || Array.isArray(after)) return listLines(change, style);
  return [`    ${field}: ${valueText(before)} → ${valueText(after)}`];
}

const isText = (value: unknown): value is string => typeof value === "string";

function valueText(value: unknown): string {
  if (value === undefined) return "(default)";
  const text = isText(value) && /^[\w./:@ -]+$/.test(value) ? value : safeJson(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

/** What was taken out of a list and put into it; else its order changed. */
function listLines({ field, before, after }: FieldChange, style: PlanStyle): string[] {
  const [old, now] = [before, after].map((list) =>
    (Array.isArray(list) ? list : []).map(itemText),
  ) as [string[], string[]];
  const lines = [
    ...old.filter((item) => !now.includes(item)).map((item) => ["-", item] as const),
    ...now.filter((item) => !old.includes(item)).map((item) => ["+", item] as const),
  ];
  if (lines.length === 0) return [`    ${field}: ${old.join(", ")} → ${now.join(", ")}`];
  return [`    ${field}:`, ...marked(lines, style)];
}

function itemText(item: unknown): string {
  const { from, to, config } = (item ?? {}) as Record<string, unknown>;
  const is_relation = isText(from) && isText(to) && config === undefined;
  return is_relation ? sanitize(`${from} → ${to}`) : valueText(item);
}

/** The lines between those that both texts begin and end with. */
function lineChanges(before: string, after: string, style: PlanStyle): string[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const shortest = Math.min(old.length, now.length);
  let start = 0;
  while (start < shortest && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shortest - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const middle = (lines: readonly string[]) => lines.slice(start, lines.length - end);
  return marked(
    [
      ...middle(old).map((line) => ["-", sanitize(line)] as const),
      ...middle(now).map((line) => ["+", sanitize(line)] as const),
    ],
    style,
  );
}

function marked(lines: readonly (readonly [Sign, string])[], style: PlanStyle): string[] {
  const shown = lines
    .slice(0, SHOWN_LINES)
    .map(([sign, text]) => `      ${paint(sign, `${sign} ${text}`, style)}`);
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, `      … and ${more} more lines`] : shown;
}

const paint = (sign: Sign, text: string, { colour }: PlanStyle): string =>
  colour ? `\u001B[${COLOURS[sign]}m${text}\u001B[0m` : text;
