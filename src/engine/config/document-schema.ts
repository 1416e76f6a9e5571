import { z } from "zod";
import { PROCESS_KEYS } from "./process-keys.ts";
import type { Section } from "./section.ts";
import { SECTIONS } from "./sections.ts";

type Json = Record<string, unknown>;

/** What a document may hold, as JSON Schema: editors complete and check by it. */
export const documentSchema = (): Json => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "troupe configuration",
  description: "Models, MCP servers, tools, agents, schemas and knowledge graphs as one document",
  type: ["object", "null"],
  properties: {
    ...Object.fromEntries(SECTIONS.map((section) => [section.key, sectionSchema(section)])),
    ...Object.fromEntries(
      [...PROCESS_KEYS].map((key) => [key, { description: "A setting of `troupe serve`" }]),
    ),
  },
  patternProperties: { "^x-": { description: "Your own: for anchors that entries refer to" } },
  additionalProperties: false,
});

function sectionSchema(section: Section): Json {
  const { name_field = "name", noun } = section;
  const entry = entrySchema(section);
  const required = (entry.required as string[]).filter((name) => name !== name_field);
  return {
    description: `Each ${noun} as an entry of a list, or under its name`,
    anyOf: [
      { type: "array", items: { ...entry, required: [name_field, ...required] } },
      { type: "object", additionalProperties: { ...entry, type: ["object", "null"], required } },
      { type: "null" },
    ],
  };
}

/** The fields under each of their names. Texts may be variables, so they have no format. */
function entrySchema({
  entry,
  aliases,
  ignored,
  file_fields = {},
  open_fields = [],
}: Section): Json {
  const { $schema, ...schema } = z.toJSONSchema(entry, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      delete jsonSchema.format;
      delete jsonSchema.pattern;
    },
  }) as Json;
  const fields = schema.properties as Record<string, Json>;
  const open = open_fields.map((name) => [name, { anyOf: [fields[name], { type: "object" }] }]);
  const also = Object.entries(aliases).map(([alias, name]) => [
    alias,
    { ...fields[name], description: `Another name for ${name}` },
  ]);
  const files = Object.entries(file_fields).map(([name, target]) => [
    name,
    { type: "string", description: `A file beside this one whose text is the ${target}` },
  ]);
  const unused = Object.entries(ignored).map(([name, why]) => [
    name,
    { description: `Ignored: ${why}`, deprecated: true },
  ]);
  const replaceable = new Set(Object.values(aliases));
  const required = ((schema.required as string[] | undefined) ?? []).filter(
    (name) => !replaceable.has(name),
  );
  const properties = {
    ...nullable(fields),
    ...Object.fromEntries([...open, ...also, ...files, ...unused]),
  };
  return { ...schema, properties, required, additionalProperties: false };
}

/** A null says nothing. */
const nullable = (fields: Record<string, Json>): Json =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, { anyOf: [field, { type: "null" }] }]),
  );
