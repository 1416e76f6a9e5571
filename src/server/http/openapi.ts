import { z } from "zod";
import { Nothing } from "#engine/kernel/fields.ts";
import type { Guard } from "#engine/kernel/principal.ts";
import { ERROR_RESPONSES, ERROR_SCHEMA, errorsOf } from "./openapi-errors.ts";
import { exampleOf } from "./openapi-examples.ts";
import { type Route, YAML } from "./route.ts";

type Json = Record<string, unknown>;

/** The interface as OpenAPI 3.1, from the same definitions that validate requests and strip answers. */
export function toOpenApi(routes: readonly Route[], base: string, version: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = base + route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "troupe",
      version,
      description: "Hosts AI agents: chat over Server-Sent Events, and everything to manage them.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }],
    tags: [...new Set(routes.map(featureOf))].sort().map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "An API token (`bb_…`) or a session's JWT",
        },
      },
      schemas: { Error: ERROR_SCHEMA },
      responses: ERROR_RESPONSES,
    },
  };
}

/** Operations are called `feature.verb`. */
const featureOf = ({ operation }: Route): string => operation.name.split(".")[0] ?? "";

function describe(route: Route): Json {
  const { operation, method } = route;
  const input = inputOf(route);
  const parameters = route.path.match(/:\w+/g)?.map((name) => name.slice(1)) ?? [];
  const fields = Object.keys((input.properties as Json | undefined) ?? {});
  const rest = fields.filter((field) => !parameters.includes(field));
  return {
    operationId: operation.name,
    tags: [featureOf(route)],
    summary: operation.summary,
    description: `Scope: ${scopeText(operation.scope)}.`,
    ...(operation.scope === "public" ? { security: [] } : {}),
    parameters: [
      ...parameters.map((name) => parameter(route, input, name, "path")),
      ...(method === "GET" ? rest.map((name) => parameter(route, input, name, "query")) : []),
    ],
    ...(method === "GET" || rest.length === 0
      ? {}
      : { requestBody: body(route, input, parameters) }),
    responses: { [String(route.status)]: success(route), ...errorsOf(route, rest.length > 0) },
  };
}

const scopeText = (guard: Guard): string =>
  typeof guard === "string" ? guard : guard.join(" or ");

function inputOf({ operation }: Route): Json {
  const { $schema, ...schema } = z.toJSONSchema(operation.input, {
    io: "input",
    unrepresentable: "any",
  });
  return schema;
}

function parameter(route: Route, input: Json, name: string, where: "path" | "query"): Json {
  const schema = (input.properties as Json | undefined)?.[name] ?? { type: "string" };
  const required =
    where === "path" || ((input.required as string[] | undefined) ?? []).includes(name);
  // What a query may leave out is left out: an example of every filter at once finds nothing.
  const wanted = { feature: featureOf(route), is_request: true };
  const example = required ? { example: exampleOf(schema as Json, wanted, name) } : {};
  return { name, in: where, required, schema, ...example };
}

function body(route: Route, input: Json, parameters: readonly string[]): Json {
  if (route.takes_file) return FILE;
  if (route.takes_text) return textBody(route.takes_text);
  if (route.body_field !== undefined) return wholeBody(route, input, route.body_field);
  const { rename, ...properties } = input.properties as Json;
  for (const name of parameters) delete properties[name];
  if (rename !== undefined) properties.name = rename;
  const required = ((input.required as string[] | undefined) ?? [])
    .filter((name) => !parameters.includes(name))
    .map((name) => (name === "rename" ? "name" : name));
  const schema = { ...input, properties, required };
  const example = exampleOf(schema, { feature: featureOf(route), is_request: true });
  const type = route.takes_form ? "application/x-www-form-urlencoded" : "application/json";
  return { required: required.length > 0, content: { [type]: { schema, example } } };
}

function wholeBody(route: Route, input: Json, field: string): Json {
  const schema = (input.properties as Record<string, Json>)[field] ?? {};
  const example = exampleOf(schema, { feature: featureOf(route), is_request: true }, field);
  return { required: true, content: { "application/json": { schema, example } } };
}

function success(route: Route): Json {
  // Some routes answer 200 with nothing, as existing clients expect.
  if (route.operation.output === Nothing) return { description: "Done; no body" };
  const { $schema, ...schema } = z.toJSONSchema(route.operation.output, {
    io: "output",
    unrepresentable: "any",
  });
  if (route.content_type === YAML) {
    return { description: "Done", content: { [YAML]: { schema, example: DOCUMENT } } };
  }
  const example = exampleOf(schema, { feature: featureOf(route), is_request: false });
  const stream = route.content_type
    ? { [route.content_type]: { schema: { type: "string" }, example: STREAM } }
    : {};
  return { description: "Done", content: { "application/json": { schema, example }, ...stream } };
}

const DOCUMENT = `agents:
  - name: helper
    system_prompt: You answer questions about orders.
    model_name: main
`;

const textBody = (type: string): Json => ({
  required: true,
  content: { [type]: { schema: { type: "string" }, example: DOCUMENT } },
});

const FILE: Json = {
  required: true,
  content: {
    "multipart/form-data": {
      schema: {
        type: "object",
        required: ["file"],
        properties: { file: { type: "string", format: "binary" } },
      },
    },
  },
};

const STREAM = 'id: 1000001\nevent: message_delta\ndata: {"content":"Your order"}\n\n';
