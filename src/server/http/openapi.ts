import { z } from "zod";
import type { Guard } from "#engine/kernel/principal.ts";
import type { Route } from "./route.ts";

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
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "An API token (`bb_…`) or a session's JWT",
        },
      },
      schemas: { Error: ERROR },
    },
  };
}

const ERROR: Json = {
  type: "object",
  required: ["error", "message"],
  properties: {
    error: { type: "string", description: "A short code for programs" },
    message: { type: "string", description: "What went wrong and what to do, for people" },
    request_id: { type: "string" },
    details: { type: "array", items: { type: "string" } },
  },
};

function describe(route: Route): Json {
  const { operation, method } = route;
  const input = inputOf(route);
  const parameters = route.path.match(/:\w+/g)?.map((name) => name.slice(1)) ?? [];
  const fields = Object.keys((input.properties as Json | undefined) ?? {});
  const rest = fields.filter((field) => !parameters.includes(field));
  return {
    operationId: operation.name,
    summary: operation.summary,
    description: `Scope: ${scopeText(operation.scope)}.`,
    ...(operation.scope === "public" ? { security: [] } : {}),
    parameters: [
      ...parameters.map((name) => parameter(input, name, "path")),
      ...(method === "GET" ? rest.map((name) => parameter(input, name, "query")) : []),
    ],
    ...(method === "GET" || rest.length === 0
      ? {}
      : { requestBody: body(input, parameters, route.takes_file) }),
    responses: { [String(route.status)]: success(route), default: FAILURE },
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

function parameter(input: Json, name: string, where: "path" | "query"): Json {
  const schema = (input.properties as Json | undefined)?.[name] ?? { type: "string" };
  const required =
    where === "path" || ((input.required as string[] | undefined) ?? []).includes(name);
  return { name, in: where, required, schema };
}

function body(input: Json, parameters: readonly string[], takes_file = false): Json {
  if (takes_file) return FILE;
  const { rename, ...properties } = input.properties as Json;
  for (const name of parameters) delete properties[name];
  if (rename !== undefined) properties.name = rename;
  const required = ((input.required as string[] | undefined) ?? []).filter(
    (name) => !parameters.includes(name),
  );
  const schema = { ...input, properties, required };
  return { required: required.length > 0, content: { "application/json": { schema } } };
}

function success(route: Route): Json {
  if (route.status === 204) return { description: "Done; no body" };
  const { $schema, ...schema } = z.toJSONSchema(route.operation.output, {
    io: "output",
    unrepresentable: "any",
  });
  const stream = route.content_type ? { [route.content_type]: { schema: { type: "string" } } } : {};
  return { description: "Done", content: { "application/json": { schema }, ...stream } };
}

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

const FAILURE: Json = {
  description: "Refused or failed",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};
