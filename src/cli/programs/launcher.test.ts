import { expect, test } from "vitest";
import { createLauncher } from "./launcher.ts";

test("a program gets the addresses of proxies without their passwords", async () => {
  const launch = createLauncher({
    HTTP_PROXY: "http://user:p@ss@proxy.example:3128",
    https_proxy: "user:pass@proxy.example:3128",
  });
  const print = "console.log(process.env.HTTP_PROXY, process.env.https_proxy)";
  const output = await new Promise<string>((resolve, reject) => {
    let text = "";
    const listener = {
      onOutput: (chunk: Uint8Array) => {
        text += Buffer.from(chunk).toString();
        if (text.endsWith("\n")) resolve(text);
      },
      onErrorOutput: () => undefined,
      onExit: () => undefined,
    };
    launch({ command: process.execPath, args: ["-e", print], env: {} }, listener).catch(reject);
  });
  expect(output.trim()).toBe("http://proxy.example:3128 proxy.example:3128");
});
