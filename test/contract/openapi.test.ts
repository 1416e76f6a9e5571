import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { Nothing } from "#engine/kernel/fields.ts";
import type { Route } from "#server/http/route.ts";
import { YAML } from "#server/http/route.ts";
import { routesOf } from "#server/routes/all.ts";
import { startTestApp } from "../support/app.ts";

interface Described {
  readonly operationId: string;
  readonly tags: string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: unknown[];
  readonly parameters: { name: string; in: string; required: boolean; example?: unknown }[];
  readonly requestBody?: { content: Record<string, { example?: unknown }> };
  readonly responses: Record<string, { content?: Record<string, { example?: unknown }> }>;
}

interface Document {
  readonly openapi: string;
  readonly tags: { name: string }[];
  readonly paths: Record<string, Record<string, Described>>;
}

const ROUTES = routesOf({ bootstrap_secret: undefined });
const BASE = "/api/v1";
const named = ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);

async function readDocument(): Promise<Document> {
  const app = await startTestApp();
  return (await (await app.fetch("/openapi.json")).json()) as Document;
}

const describedAs = ({ paths }: Document, { method, path }: Route): Described => {
  const described = paths[BASE + path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
  if (!described) throw new Error(`${method} ${path} is not described`);
  return described;
};

const document = readDocumentOnce();

/** An app ends with its test, so the first test that asks starts one. */
function readDocumentOnce(): () => Promise<Document> {
  let known: Promise<Document> | undefined;
  return () => {
    known ??= readDocument();
    return known;
  };
}

describe("the OpenAPI document", () => {
  test("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    const result = await validator.validate({ ...(await document()) });
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(validator.version).toBe("3.1");
  });

  test("describes what is served, and nothing else", async () => {
    const { paths } = await document();
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const served = ROUTES.map(
      ({ method, path }) => `${method} ${BASE}${path.replace(/:(\w+)/g, "{$1}")}`,
    );
    expect(described.toSorted()).toEqual(served.toSorted());
    const app = await startTestApp();
    for (const route of described) {
      const [method = "", path = ""] = route.split(" ");
      const answer = await app.fetch(path.replace(/\{\w+\}/g, "x"), { method });
      // A stranger is stopped by the guard of a route, and nowhere else.
      expect([route, answer.status]).toEqual([route, expect.toSatisfy(isServed)]);
    }
  });

  test("has a tag for each feature, and no other", async () => {
    const { tags, paths } = await document();
    const used = Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap((operation) => operation.tags),
    );
    expect(tags.map(({ name }) => name)).toEqual([...new Set(used)].toSorted());
  });

  test("names each operation once", async () => {
    const ids = Object.values((await document()).paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each(named)("tells scope, parameters and answers of %s", async (_name, route) => {
    const { operation, path, status } = route;
    const described = describedAs(await document(), route);
    expect(described.operationId).toBe(operation.name);
    expect(described.description).toContain([operation.scope].flat()[0]);
    expect(described.summary).not.toBe("");
    const inPath = described.parameters.filter((parameter) => parameter.in === "path");
    expect(inPath.map(({ name }) => name)).toEqual(
      path.match(/:\w+/g)?.map((name) => name.slice(1)) ?? [],
    );
    const statuses = Object.keys(described.responses);
    expect(statuses).toContain(String(status));
    expect(statuses).toContain("default");
    const is_public = operation.scope === "public";
    expect(statuses.includes("401")).toBe(!is_public);
    if (!is_public) expect(statuses).toContain("403");
    if (path.includes(":")) expect(statuses).toContain("404");
    expect(statuses.includes("429")).toBe(!route.is_unlimited);
  });

  test.each(named)("gives examples that %s would take and answer", async (_name, route) => {
    const { operation, method } = route;
    const { parameters, requestBody, responses } = describedAs(await document(), route);
    const given = parameters.filter(({ required }) => required);
    const fields = Object.fromEntries(given.map(({ name, example }) => [name, example]));
    // A form with a file has no example in JSON.
    const type = route.takes_form ? "application/x-www-form-urlencoded" : "application/json";
    const text = requestBody?.content[route.takes_text ?? ""]?.example;
    const body = route.takes_file
      ? { file_name: "a.txt", content: new Blob([]).stream() }
      : route.takes_text
        ? { text }
        : (requestBody?.content[type]?.example as object | undefined);
    if (requestBody) expect(body).toBeDefined();
    const whole = route.body_field === undefined ? body : { [route.body_field]: body };
    const input = { ...whole, ...renamed(body, fields), ...fields };
    expect(operation.input.safeParse(input).error?.issues ?? []).toEqual([]);
    if (operation.output === Nothing) {
      expect(responses[String(route.status)]?.content).toBeUndefined();
      return;
    }
    const content = responses[String(route.status)]?.content;
    const answer = (content?.["application/json"] ?? content?.[YAML])?.example;
    expect(answer).toBeDefined();
    expect(operation.output.safeParse(answer).error?.issues ?? []).toEqual([]);
    if (method === "POST" && requestBody) expect(JSON.stringify(body)).not.toBe("{}");
  });

  test("tells of the usage limit of chats alone", async () => {
    const { paths } = await document();
    const limited = Object.entries(paths).filter(([, methods]) =>
      Object.values(methods).some(({ responses }) => "402" in responses),
    );
    expect(limited.map(([path]) => path)).toEqual([`${BASE}/schemas/{name}/chat`]);
  });
});

const isServed = (status: number): boolean => status !== 404 && status !== 405;

/** As the body of a request that has a name in its path. */
const renamed = (body: object | undefined, fields: object) =>
  body && "name" in body && "name" in fields ? { rename: body.name } : {};
