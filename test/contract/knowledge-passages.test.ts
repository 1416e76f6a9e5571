import { describe, expect, test } from "vitest";
import { startChatApp } from "../support/chat.ts";
import { index, withManuals } from "../support/files.ts";

const ROUTER = "# Router\n\n## Warranty\n\nThe warranty lasts two years.\n";
const SEARCH = "/knowledge-bases/manuals/search";

async function started() {
  const app = await withManuals(await startChatApp());
  await index(app.admin, { name: "router.md", content: ROUTER });
  await index(app.admin, { name: "kettle.txt", content: "The warranty of the kettle is void." });
  return app;
}

describe("searching a knowledge base", () => {
  test("gives passages, best first, with where they stand and their whole text", async () => {
    const { admin } = await started();
    const { status, body } = await admin.get(`${SEARCH}?q=warranty%20lasts`);
    expect(status).toBe(200);
    const start = ROUTER.indexOf("## Warranty");
    expect(body[0]).toEqual({
      file_name: "router.md",
      file_id: expect.any(String),
      knowledge_base: "manuals",
      heading_path: ["Router", "Warranty"],
      start,
      end: ROUTER.length,
      score: expect.any(Number),
      text: ROUTER.slice(start),
    });
    expect(body.map(({ file_name }: { file_name: string }) => file_name)).toEqual([
      "router.md",
      "kettle.txt",
    ]);
    expect(body[0].score).toBeGreaterThan(body[1].score);
  });

  test("takes a number of passages and a part of a file's name", async () => {
    const { admin } = await started();
    expect((await admin.get(`${SEARCH}?q=warranty&top_k=1`)).body).toHaveLength(1);
    expect((await admin.get(`${SEARCH}?q=warranty&file=KETTLE`)).body).toMatchObject([
      { file_name: "kettle.txt" },
    ]);
    expect((await admin.get(`${SEARCH}?q=elephants`)).body).toEqual([]);
  });

  test.each([
    ["", "q: is required"],
    ["?q=%20", "q: must not be empty"],
    ["?q=x&top_k=0", "top_k: "],
    ["?q=x&top_k=51", "top_k: "],
    ["?q=x&top_k=many", "top_k: "],
  ])("is refused with %j", async (query, message) => {
    const { admin } = await started();
    const refused = await admin.get(`${SEARCH}${query}`);
    expect(refused).toMatchObject({ status: 400, body: { error: "bad_request" } });
    expect(refused.body.message).toContain(message);
  });

  test("of an unknown one is not found", async () => {
    const { admin } = await started();
    expect((await admin.get("/knowledge-bases/nothing/search?q=x")).status).toBe(404);
  });
});
