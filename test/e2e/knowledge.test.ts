import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeDocx, makePdf } from "../support/documents.ts";
import { adminOf, run, serve, temporaryFolder } from "../support/executable.ts";

/** A folder with one real file of each kind, and one that is broken. */
async function library(): Promise<string> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "sub"));
  const files: Record<string, string | Uint8Array> = {
    "refunds.pdf": await makePdf(["Contents", "Refunds are paid within thirty days."]),
    "warranty.docx": await makeDocx(["The warranty lasts two years."]),
    "prices.csv": "item,price\nGreen tea,2.50\n",
    "sub/reset.html": "<h1>Router</h1><h2>Reset</h2><p>Hold the button for ten seconds.</p>",
    "broken.json": "{",
    "ignored.bin": "x",
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

test("documents are added from the command line, and an agent answers from them", async () => {
  const folder = await library();
  const server = await serve({ args: ["--demo"] });
  const client = ["--data-dir", server.data_dir];
  const add = () => run(["knowledge", "add", folder, "--base", "shop", "--json", ...client]);
  const first = await add();
  expect(first.code).toBe(1);
  const added = JSON.parse(first.stdout) as Record<string, unknown>[];
  expect(added.map(({ file_name, status }) => [file_name, status])).toEqual([
    ["broken.json", "error"],
    ["prices.csv", "ready"],
    ["refunds.pdf", "ready"],
    ["sub_reset.html", "ready"],
    ["warranty.docx", "ready"],
  ]);
  const again = JSON.parse((await add()).stdout) as Record<string, unknown>[];
  expect(again.slice(1).map(({ change }) => change)).toEqual(Array(4).fill("unchanged"));
  expect((await run(["knowledge", "rm", "broken.json", "--base", "shop", ...client])).code).toBe(0);
  const listed = await run(["knowledge", "list", "--base", "shop", "--json", ...client]);
  expect(JSON.parse(listed.stdout)).toHaveLength(4);

  const admin = await adminOf(server);
  await admin.send("POST", "/knowledge-bases/shop/agents/guide");
  await admin.send("POST", "/agents/guide/capabilities", { type: "knowledge" });
  for (const [question, answer] of [
    ["When are refunds paid?", "refunds.pdf - page 2"],
    ["How long is the warranty?", "warranty.docx"],
    ["What does green tea cost?", "price: 2.50"],
    ["How do I reset the router?", "sub_reset.html - Router > Reset"],
  ] as const) {
    const { stdout } = await run(["chat", "demo", "-m", question, ...client]);
    expect(stdout).toContain(answer);
  }
});
