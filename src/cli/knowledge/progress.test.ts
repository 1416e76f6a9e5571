import { describe, expect, test } from "vitest";
import { meaningPending } from "#engine/knowledge/file.ts";
import type { AddResult } from "./add-files.ts";
import { showProgress, summaryOf } from "./progress.ts";

function output(terminal?: { columns: number }) {
  let text = "";
  const write = (more: string) => {
    text += more;
  };
  return { write, text: () => text, isTTY: terminal !== undefined, ...terminal };
}

const file = (more: object = {}) => ({
  id: "1",
  file_name: "router.pdf",
  file_type: "pdf",
  file_size: 1,
  status: "indexing" as const,
  chunk_count: 0,
  chunks_done: 0,
  created_at: "",
  ...more,
});
const result = (change: AddResult["change"], more: object = {}): AddResult => ({
  ...file({ status: "ready", chunk_count: 12, ...more }),
  change,
});

describe("progress", () => {
  test("is a line a file where nobody watches", () => {
    const out = output();
    const { begins, progresses, ends } = showProgress(out);
    begins("router.pdf", 1, 2);
    progresses(file());
    ends(result("added"));
    begins("a.md", 2, 2);
    ends(result("failed", { file_name: "a.md", status_message: "it is empty" }));
    expect(out.text()).toBe("1/2 router.pdf: added, 12 passages\n2/2 a.md: failed: it is empty\n");
  });

  test("is a bar on a terminal, which the line takes the place of", () => {
    const out = output({ columns: 70 });
    const { begins, progresses, ends } = showProgress(out);
    begins("router.pdf", 1, 2);
    progresses(file());
    progresses(file({ chunk_count: 12, chunks_done: 6 }));
    ends(result("replaced", { chunk_count: 1 }));
    expect(out.text().split("\r\u001B[K").slice(1)).toEqual([
      "[........................] 1/2 router.pdf: sending",
      "[........................] 1/2 router.pdf: reading",
      "[############............] 1/2 router.pdf: 6 of 12 passages",
      "1/2 router.pdf: replaced, 1 passage\n",
    ]);
  });

  test("goes on until the file is found by what it means, and shows how far it is after any name", () => {
    const out = output({ columns: 70 });
    const { begins, progresses } = showProgress(out);
    begins("router.pdf", 1, 2);
    const status_message = meaningPending(6, 12);
    const file_name = `${"a-long-name".repeat(9)}.pdf`;
    progresses(
      file({ status: "ready", chunk_count: 12, chunks_done: 12, status_message, file_name }),
    );
    expect(out.text().split("\r\u001B[K").at(-1)).toBe(
      "[############............] 1/2 a-long-n…: meaning of 6 of 12 passages",
    );
  });

  test("is no longer than a row, and harmless, whatever files are called", () => {
    const out = output({ columns: 50 });
    const { begins, ends } = showProgress(out);
    begins(`\u001B]0;x\u0007\u202E${"long".repeat(50)}`, 1, 1);
    ends(result("added", { file_name: "a\u001B[2J\nb.md" }));
    const [bar, line] = out.text().split("\r\u001B[K").slice(1);
    expect(bar).toHaveLength(49);
    expect(`${bar}${line}`.trimEnd()).not.toMatch(/[\p{Cc}\u202E]/u);
  });

  test("can leave out the lines, for those who want JSON", () => {
    const out = output();
    const { begins, ends } = showProgress(out, { is_quiet: true });
    begins("a.md", 1, 1);
    ends(result("added"));
    expect(out.text()).toBe("");
  });
});

test("a summary counts what became of the files", () => {
  expect(summaryOf([result("added"), result("unchanged"), result("added")], "manuals")).toBe(
    "manuals: 2 added, 1 unchanged",
  );
  expect(summaryOf([], "manuals")).toBe("manuals: there is nothing in there that can be read");
});

test("a summary tells how many files were left out, and of which types", () => {
  expect(summaryOf([result("added")], "manuals", ["a.zip", "b/c.zip", "Makefile"])).toBe(
    "manuals: 1 added; 3 skipped, of types that are not read (.zip, without one)",
  );
});

test("a summary names what else the knowledge base has, but not without end", () => {
  const others = Array.from({ length: 6 }, (_, at) => result("missing", { file_name: `${at}.md` }));
  const summary = summaryOf([result("added"), ...others], "manuals");
  expect(summary.split("\n")).toEqual([
    "manuals: 1 added",
    "manuals also has 6 not in there: 0.md, 1.md, 2.md, 3.md, 4.md, … (troupe knowledge rm FILE --base manuals removes one)",
  ]);
});
