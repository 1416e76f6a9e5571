import { z } from "zod";
import { badRequest } from "../../kernel/error.ts";
import type { FieldKind, IndexedField } from "../schemas/shape.ts";
import type { IndexKey } from "./entity.ts";

/**
 * What a property's value is filtered and sorted by; undefined for one that is missing, or not of the
 * declared type, as it may be after the schema was replaced.
 */
export function keyOf(field: IndexedField, value: unknown): IndexKey {
  switch (field.kind) {
    case "enum":
      return placeIn(field, value);
    case "boolean":
      return typeof value === "boolean" ? Number(value) : undefined;
    case "integer":
    case "number":
      return typeof value === "number" ? value : undefined;
    case "text":
    case "date":
    case "date-time":
      return typeof value === "string" ? textKey(field.kind, value) : undefined;
  }
}

function textKey(kind: "text" | "date" | "date-time", text: string): string | undefined {
  if (kind === "text") return text;
  return kind === "date" ? dateKey(text) : instantKey(text);
}

/** An enum sorts in the order of its declaration (contract 4.8). */
function placeIn({ values = [] }: IndexedField, value: unknown): number | undefined {
  const place = values.indexOf(value);
  return place < 0 ? undefined : place;
}

/**
 * The key of a value that is asked for, as a text of a query or as JSON, read as the property's declared
 * type. Undefined when no entity can have it. Throws `bad_request` naming the field.
 */
export function askedKey(field: IndexedField, value: unknown): IndexKey {
  const { kind, name } = field;
  if (kind === "enum") return keyOf(field, enumValue(field, value));
  const key = readKey(kind, String(value));
  if (key !== undefined) return key;
  throw badRequest(`filter ${name}: ${JSON.stringify(value)} is not ${EXPECTED[kind]}`);
}

const EXPECTED: Readonly<Record<Exclude<FieldKind, "enum">, string>> = {
  text: "a text",
  boolean: "true or false",
  integer: "an integer",
  number: "a number",
  date: "a date like 2026-03-01",
  "date-time": "a time like 2026-03-01T12:00:00Z",
};

function readKey(kind: Exclude<FieldKind, "enum">, text: string): IndexKey {
  switch (kind) {
    case "boolean":
      return text === "true" || text === "false" ? Number(text === "true") : undefined;
    case "integer":
    case "number":
      return numberKey(text.trim(), kind);
    case "text":
    case "date":
    case "date-time":
      return textKey(kind, text);
  }
}

/** As it is, or the one that is written like this. */
const enumValue = ({ values = [] }: IndexedField, value: unknown): unknown =>
  values.find((each) => each === value) ?? values.find((each) => String(each) === String(value));

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function numberKey(text: string, kind: "integer" | "number"): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  const number = Number(text);
  if (!Number.isFinite(number)) return undefined;
  return kind === "number" || Number.isInteger(number) ? number : undefined;
}

const dateKey = (text: string): string | undefined =>
  z.iso.date().safeParse(text).success ? text : undefined;

/** In UTC and without a zone, so that texts compare as times; a date alone is its first moment. */
function instantKey(text: string): string | undefined {
  if (dateKey(text) !== undefined) return `${text}T00:00:00`;
  if (!z.iso.datetime({ offset: true }).safeParse(text).success) return undefined;
  const fraction = /\.(\d+)/.exec(text)?.[1]?.replace(/0+$/, "") ?? "";
  const whole = new Date(text).toISOString().slice(0, 19);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
