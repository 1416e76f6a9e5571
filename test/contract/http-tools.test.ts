import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { startTestApp, type TestOverrides } from "../support/app.ts";
import { scriptedModel } from "../support/scripted-model.ts";

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Answer = (asked: Asked, response: ServerResponse) => void;

/** A service that a tool calls, on this machine. */
async function startService(answer: Answer = (_asked, response) => response.end("done")) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", url = "", headers } = request;
    const one = { method, url, headers, body };
    asked.push(one);
    answer(one, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** An agent that has the declared tools, and a model that calls one of them. */
async function start(
  tools: string,
  variables: Record<string, string> = {},
  more: TestOverrides = {},
) {
  const model = scriptedModel();
  const app = await startTestApp({ createChatModel: model.create, ...more });
  const admin = await app.as("admin");
  const names = [...tools.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name);
  const text = `${tools}
models: {m: {type: demo, model_name: demo}}
agents: {desk: {tools: [${names.join(", ")}]}}
schemas: {help: {entry_agent: desk, chat_enabled: true}}
`;
  const applied = await admin.post("/config/apply", { documents: [{ text }], variables });
  expect(applied.body.message ?? "").toBe("");
  const call = async (tool: string, input: object) => {
    model.script({ calls: [{ id: "c1", tool, input }] }, { text: "Done." });
    const { body } = await admin.post("/schemas/help/chat", { message: "Go.", stream: false });
    return body.tool_calls[0].output as string;
  };
  return { app, admin, model, call, text };
}

const CLAIM = `tools:
  open_claim:
    type: http
    method: POST
    url: \${CLAIMS_URL}/claims/{{parcel_id}}
    description: Opens a claim for one parcel.
    body: {reason: "{{reason}}", urgent: "{{urgent}}"}
    params:
      - {name: urgent, type: boolean}
    auth: {type: bearer, token: "\${CLAIMS_TOKEN}"}
`;

describe("a declared tool", () => {
  test("sends what its declaration says, with what the model gives", async () => {
    const service = await startService();
    const variables = { CLAIMS_URL: service.url, CLAIMS_TOKEN: "t-secret" };
    const { call } = await start(CLAIM, variables);

    expect(
      await call("open_claim", { parcel_id: "P 1/2", reason: 'It "broke"', urgent: true }),
    ).toContain("done");

    expect(service.asked).toMatchObject([
      {
        method: "POST",
        url: "/claims/P%201%2F2",
        headers: { authorization: "Bearer t-secret", "content-type": "application/json" },
      },
    ]);
    expect(JSON.parse(service.asked[0]?.body ?? "")).toEqual({
      reason: 'It "broke"',
      urgent: true,
    });
  });

  test("tells the model its parameters, and what the answer's status is from 400 on", async () => {
    const service = await startService((_asked, response) =>
      response.writeHead(404).end("no such parcel"),
    );
    const { call, model } = await start(CLAIM, { CLAIMS_URL: service.url, CLAIMS_TOKEN: "t" });

    expect(await call("open_claim", { parcel_id: "P1", reason: "x" })).toContain(
      "HTTP 404: no such parcel",
    );

    const told = model.calls[0]?.tools?.find(({ name }) => name === "open_claim");
    expect(told).toMatchObject({
      description: "Opens a claim for one parcel.",
      inputSchema: {
        required: ["parcel_id", "reason"],
        properties: { urgent: { type: "boolean" }, parcel_id: { type: "string" } },
      },
    });
  });

  test("never gives an argument what a variable holds, or another path", async () => {
    const service = await startService();
    const { call } = await start(CLAIM, { CLAIMS_URL: service.url, CLAIMS_TOKEN: "t-secret" });
    const reason = "${CLAIMS_TOKEN} {{parcel_id}}";

    await call("open_claim", { parcel_id: "P1", reason });
    expect(JSON.parse(service.asked[0]?.body ?? "").reason).toBe(reason);

    expect(await call("open_claim", { parcel_id: "..", reason })).toContain("another path");
    expect(await call("open_claim", { parcel_id: "", reason })).toContain("must not be empty");
    expect(service.asked).toHaveLength(1);
  });

  test("puts into the query what a read has no other place for", async () => {
    const service = await startService();
    const { call } = await start(`tools:
  find:
    endpoint: GET ${service.url}/find?kind=parcel
    params: {city: {type: string, required: true}, page: {type: integer}}
    headers: {Accept: text/plain}
`);
    await call("find", { city: "Turku & Oulu", page: 2 });
    expect(service.asked).toMatchObject([
      {
        method: "GET",
        url: "/find?kind=parcel&city=Turku+%26+Oulu&page=2",
        headers: { accept: "text/plain" },
      },
    ]);
  });

  test("that must be confirmed asks a person first", async () => {
    const service = await startService();
    const { app, model } = await start(
      `tools:\n  pay:\n    {method: POST, url: "${service.url}", confirmation_required: true}\n`,
    );
    const admin = await app.as("admin");
    model.script({ calls: [{ id: "c1", tool: "pay", input: {} }] }, { text: "Paid." });
    const stream = await admin.open("/schemas/help/chat", { message: "Pay." });
    const id = stream.headers.get("X-Session-Id");
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let seen = "";
    while (!seen.includes("event: confirmation")) seen += (await reader?.read())?.value ?? "";
    expect(service.asked).toHaveLength(0);

    const call_id = /"call_id":"([^"]+)"/.exec(
      seen.slice(seen.indexOf("event: confirmation")),
    )?.[1];
    await admin.post(`/sessions/${id}/respond`, { call_id, answers: ["approve"] });
    while (!seen.includes("event: done")) seen += (await reader?.read())?.value ?? "";
    expect(service.asked).toHaveLength(1);
  });

  test("is in the tools' metadata and in the log of calls like every other", async () => {
    const service = await startService();
    const { admin, call } = await start(CLAIM, { CLAIMS_URL: service.url, CLAIMS_TOKEN: "t" });
    await call("open_claim", { parcel_id: "P1", reason: "x" });

    const { body } = await admin.get("/tools/metadata");
    expect(body).toContainEqual({
      name: "open_claim",
      description: "Opens a claim for one parcel.",
      security_zone: "caution",
      risk_warning: "Can change something at another service",
    });
    const log = await admin.get("/audit/tool-calls?tool=open_claim");
    expect(log.body.data).toMatchObject([{ status: "completed", agent_name: "desk" }]);
  });
});

describe("where a declared tool may go", () => {
  const resolveHost = async (host: string) => [
    { address: host === "public.example.com" ? "127.0.0.1" : "93.184.216.34", family: 4 },
  ];

  test("a public name that leads to a private address is refused, unless the declaration says so", async () => {
    const service = await startService();
    const { port } = new URL(service.url);
    const { call } = await start(
      `tools:
  refused: {url: "http://public.example.com:${port}/a"}
  allowed: {url: "http://public.example.com:${port}/b", allow_private_address: true}
`,
      {},
      { resolveHost },
    );
    expect(await call("refused", {})).toContain("must be a public one");
    expect(await call("allowed", {})).toContain("done");
    expect(service.asked.map(({ url }) => url)).toEqual(["/b"]);
  });

  test("a redirect elsewhere is to a public address, and without the secrets", async () => {
    const inside = await startService();
    const service = await startService((asked, response) =>
      asked.url === "/home"
        ? response.writeHead(302, { Location: "/there" }).end()
        : asked.url === "/away"
          ? response.writeHead(302, { Location: inside.url }).end()
          : response.end("home"),
    );
    const auth = 'auth: {type: header, name: X-Api-Key, value: "${KEY}"}';
    const { call } = await start(
      `tools:
  home: {url: "${service.url}/home", ${auth}}
  away: {url: "${service.url}/away", ${auth}}
  change: {url: "${service.url}/away", method: POST}
`,
      { KEY: "k-1" },
    );
    expect(await call("home", {})).toContain("home");
    expect(service.asked.map(({ headers }) => headers["x-api-key"])).toEqual(["k-1", "k-1"]);
    expect(await call("away", {})).toContain("must be a public one");
    expect(await call("change", {})).toContain("HTTP 302");
    expect(inside.asked).toEqual([]);
  });

  test.each([
    ["a parameter as the host", "https://{{host}}/x", "can't be part of the host"],
    ["a parameter in the host", "https://a.{{host}}.example/x", "can't be part of the host"],
    ["another scheme", "file:///etc/passwd", "must be an absolute http or https URL"],
    ["a user and password", "https://me:secret@shop.example/", "must not hold a user"],
    ["the metadata service", "http://169.254.169.254/latest", "lead to such an address"],
    ["the same, as one number", "http://2852039166/latest", "lead to such an address"],
    ["the same, mapped into IPv6", "http://[::ffff:169.254.169.254]/", "lead to such an address"],
    ["no address", "/claims", "must be an absolute http or https URL"],
  ])("%s is refused in the document", async (_what, url, message) => {
    const admin = await (await startTestApp()).as("admin");
    const { status, body } = await admin.post(
      "/config/import",
      `tools:\n  t:\n    url: "${url}"\n`,
    );
    expect(status).toBe(400);
    expect(body.message).toMatch(/^line 3, column 5: tools\.t: url: /);
    expect(body.message).toContain(message);
  });

  test.each(["current_time", "spawn_helper", "memory_store", "admin_list_agents"])(
    "%s is no name for a declared tool",
    async (name) => {
      const admin = await (await startTestApp()).as("admin");
      const text = `tools: [{name: ${name}, url: "https://shop.example"}]`;
      expect(await admin.post("/config/import", text)).toMatchObject({ status: 400 });
    },
  );
});

describe("what goes wrong", () => {
  test("a service that can't be reached is an error, and after three of them is left alone", async () => {
    const service = await startService((_asked, response) => void response.destroy());
    const { call, admin } = await start(`tools:\n  t: {url: "${service.url}"}\n`);
    for (const _try of [1, 2, 3])
      expect(await call("t", {})).toMatch(/^\[ERROR\] cannot reach 127/);
    expect(await call("t", {})).toContain("failed repeatedly and is not called for now");
    expect(service.asked).toHaveLength(3);
    const { body } = await admin.get("/resilience/circuit-breakers");
    expect(body.breakers).toMatchObject([
      { name: `http:${new URL(service.url).host}`, state: "open" },
    ]);
  });

  test("an answer is no longer than a model can read", async () => {
    const service = await startService((_asked, response) => response.end("x".repeat(300_000)));
    const { call } = await start(`tools:\n  t: {url: "${service.url}"}\n`);
    expect((await call("t", {})).length).toBeLessThan(70_000);
  });

  test("a variable without a value fails the call, and no request is sent", async () => {
    const service = await startService();
    const { call } = await start(CLAIM, { CLAIMS_URL: service.url });
    expect(await call("open_claim", { parcel_id: "P", reason: "x" })).toContain(
      "CLAIMS_TOKEN has no value",
    );
    expect(service.asked).toEqual([]);
  });
});

describe("secrets of a declared tool", () => {
  test("are exported as the variables they came from, and kept when these are not set", async () => {
    const service = await startService();
    const { admin, text, call } = await start(CLAIM, {
      CLAIMS_URL: service.url,
      CLAIMS_TOKEN: "t-secret",
    });

    const exported = (await admin.get("/config/export")).text;
    expect(exported).toContain("token: ${CLAIMS_TOKEN}");
    expect(exported).not.toMatch(/t-secret|127\.0\.0\.1/);

    const plan = await admin.post("/config/plan", { documents: [{ text: exported }] });
    expect(plan.body.changes).toEqual([]);
    expect((await admin.post("/config/import", text)).body).toMatchObject({
      updated: 0,
      tools_imported: 1,
    });
    await call("open_claim", { parcel_id: "P1", reason: "x" });
    expect(service.asked[0]?.headers.authorization).toBe("Bearer t-secret");
  });

  test("do not go to another address with somebody who could not read them", async () => {
    const service = await startService();
    const values = { CLAIMS_URL: service.url, CLAIMS_TOKEN: "t-secret" };
    const { app, admin, text } = await start(CLAIM, values);
    const script = await app.as(["config"]);
    const apply = (caller: typeof admin, text: string, variables: object) =>
      caller.post("/config/apply", { documents: [{ text }], variables });
    const elsewhere = { CLAIMS_URL: `${service.url}/mine` };
    const moved = text.replace("{{parcel_id}}", "{{parcel_id}}?again=${CLAIMS_TOKEN}");

    const refused = await apply(script, text, elsewhere);
    expect(refused).toMatchObject({ status: 403 });
    expect(refused.body.message).toContain("send CLAIMS_TOKEN anew");
    expect(await apply(script, moved, {})).toMatchObject({ status: 403 });
    const same = text.replace("Opens a claim", "Makes a claim");
    expect(await apply(script, same, {})).toMatchObject({ status: 200 });
    const anew = { ...elsewhere, CLAIMS_TOKEN: "mine" };
    expect(await apply(script, same, anew)).toMatchObject({ status: 200 });
    expect(await apply(admin, text, { CLAIMS_URL: service.url })).toMatchObject({ status: 200 });
  });

  test("in clear are warned of, sealed, and exported as a variable", async () => {
    const service = await startService();
    const tools = `tools:\n  t: {url: "${service.url}", auth: {type: bearer, token: clear-secret}}\n`;
    const { admin, text, call } = await start(tools);

    const { text: exported } = await admin.get("/config/export");
    expect(exported).toContain("token: ${T_AUTH_TOKEN}");
    expect(exported).not.toContain("clear-secret");
    const plan = await admin.post("/config/plan", { documents: [{ text }] });
    expect(plan.body).toMatchObject({
      changes: [],
      warnings: [expect.stringContaining("a secret in clear")],
    });
    await call("t", {});
    expect(service.asked[0]?.headers.authorization).toBe("Bearer clear-secret");
  });

  test("in clear are found in headers and in the query, and kept apart", async () => {
    const service = await startService();
    const { admin, call } = await start(
      `tools:
  open:
    url: ${service.url}
    auth: {type: bearer, token: clear-1}
    headers: {Token: clear-2, X-Auth: clear-3, X-Team: "\${OPEN_AUTH_TOKEN}"}
    query: {api_key: clear-4, page_token: "{{page}}", author: Ann, keyword: lost}
`,
      { OPEN_AUTH_TOKEN: "a-team" },
    );

    const { text: exported } = await admin.get("/config/export");
    expect(exported).not.toMatch(/clear-\d/);
    expect(exported).toContain("token: ${OPEN_AUTH_TOKEN_2}");
    expect(exported).toContain("Token: ${OPEN_HEADERS_TOKEN}");
    expect(exported).toContain("X-Auth: ${OPEN_HEADERS_X_AUTH}");
    expect(exported).toContain("api_key: ${OPEN_QUERY_API_KEY}");
    const plan = await admin.post("/config/plan", { documents: [{ text: exported }] });
    expect(plan.body).toMatchObject({ changes: [], warnings: [] });
    await call("open", { page: "7" });
    expect(service.asked[0]).toMatchObject({
      url: "/?api_key=clear-4&page_token=7&author=Ann&keyword=lost",
      headers: {
        authorization: "Bearer clear-1",
        token: "clear-2",
        "x-auth": "clear-3",
        "x-team": "a-team",
      },
    });
  });
});
