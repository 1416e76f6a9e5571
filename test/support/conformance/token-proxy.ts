import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Passes everything on to the server as it came, with a token: the runner brings none along. */
export async function tokenProxy(server_url: string, token: string): Promise<string> {
  const { hostname, port } = new URL(server_url);
  const proxy = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${token}` };
    const { method, url: path } = asked;
    const passed = request({ hostname, port, path, method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
