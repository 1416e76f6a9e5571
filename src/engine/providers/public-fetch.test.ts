import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createPublicFetch } from "./public-fetch.ts";

const HOST = "models.example.com";

async function startServer(headers: Record<string, string> = {}, status = 200) {
  const hosts: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host);
    response.writeHead(status, headers).end("answer");
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { hosts, port };
}

const resolving =
  (...answers: string[][]) =>
  async () =>
    (answers.length > 1 ? answers.shift() : answers[0])?.map((address) => ({
      address,
      family: address.includes(":") ? 6 : 4,
    })) ?? [];

const isTestServer = (address: string) => address === "127.0.0.1";

describe("an address that a caller chose", () => {
  test.each([
    ["loopback", ["127.0.0.1"]],
    ["loopback of IPv6", ["::1"]],
    ["loopback in IPv6", ["::ffff:127.0.0.1"]],
    ["a private network", ["10.1.2.3"]],
    ["the metadata service", ["169.254.169.254"]],
    ["a local link", ["fe80::1"]],
    ["a carrier's network", ["100.64.0.1"]],
    ["nothing in particular", ["0.0.0.0"]],
    ["a tunnel to IPv4", ["64:ff9b::7f00:1"]],
    ["a public and a private address", ["93.184.216.34", "192.168.0.1"]],
    ["nothing", []],
  ])("is refused when its name resolves to %s", async (_what, addresses) => {
    const { hosts, port } = await startServer();
    const fetch = createPublicFetch(resolving(addresses));
    const failure = await fetch(`http://${HOST}:${port}/`).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "EngineError", code: "bad_request" });
    for (const address of addresses) expect(String(failure)).not.toContain(address);
    expect(hosts).toEqual([]);
  });

  test.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://[::1]/",
    "http://localhost./",
    "http://user:secret@models.example.com/",
    "file:///etc/passwd",
    "gopher://models.example.com/",
  ])("is refused without a look at names: %s", async (url) => {
    const fetch = createPublicFetch(() => Promise.reject(new Error("was asked")));
    await expect(fetch(url)).rejects.toMatchObject({ code: "bad_request" });
    await expect(fetch(new URL(url))).rejects.toMatchObject({ code: "bad_request" });
  });

  test("is connected to at what was checked, under its own name", async () => {
    const { hosts, port } = await startServer();
    const fetch = createPublicFetch(resolving(["127.0.0.1"]), isTestServer);
    const response = await fetch(`http://${HOST}:${port}/`, { method: "POST", body: "{}" });
    expect(await response.text()).toBe("answer");
    expect(hosts).toEqual([`${HOST}:${port}`]);
  });

  test("is checked again for each connection, so that a name can't change its mind", async () => {
    const { hosts, port } = await startServer({ Connection: "close" });
    const fetch = createPublicFetch(resolving(["127.0.0.1"], ["10.0.0.1"]), isTestServer);
    await (await fetch(`http://${HOST}:${port}/`)).text();
    await expect(fetch(`http://${HOST}:${port}/`)).rejects.toMatchObject({ code: "bad_request" });
    expect(hosts).toHaveLength(1);
  });

  test("does not lead elsewhere by a redirect", async () => {
    const { hosts, port } = await startServer({ Location: "http://127.0.0.1/" }, 302);
    const fetch = createPublicFetch(resolving(["127.0.0.1"]), isTestServer);
    const response = await fetch(`http://${HOST}:${port}/`, { redirect: "follow" });
    expect(response.status).toBe(302);
    expect(hosts).toHaveLength(1);
  });

  test("takes a whole request, too", async () => {
    const { port } = await startServer();
    const fetch = createPublicFetch(resolving(["127.0.0.1"]), isTestServer);
    const request = new Request(`http://${HOST}:${port}/`, { method: "POST", body: "{}" });
    expect(await (await fetch(request)).text()).toBe("answer");
  });

  test("that is unknown is told as such", async () => {
    const unknown = Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
    const fetch = createPublicFetch(() => Promise.reject(unknown));
    await expect(fetch(`http://${HOST}/`)).rejects.toMatchObject({ cause: { code: "ENOTFOUND" } });
  });
});
