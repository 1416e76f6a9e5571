import { expect, test } from "vitest";
import type { AnswerKey } from "./answer-keys.ts";
import { findPrompt, type HistorySearch, newSearch, pressSearch } from "./history-search.ts";

const history = ["List tokens", "count to 3", "list models", "list models", "count to 9"];
const type = (text: string): AnswerKey => ({ type: "insert", text });
const up: AnswerKey = { type: "move", direction: "up" };
const down: AnswerKey = { type: "move", direction: "down" };
const press = (...keys: AnswerKey[]): HistorySearch =>
  keys.reduce<HistorySearch>(
    (search, key) => pressSearch(history, search, key).search ?? search,
    newSearch,
  );
const found = (...keys: AnswerKey[]) => findPrompt(history, press(...keys));

test("the newest prompt is found, whatever its case, and then older ones, each once", () => {
  expect(found()).toBeUndefined();
  expect(found(type("list"))).toBe("list models");
  expect(found(type("list"), up)).toBe("List tokens");
  expect(found(type("list"), up, up)).toBe("List tokens");
  expect(found(type("list"), up, down)).toBe("list models");
  expect(found(type("nowhere"))).toBeUndefined();
});

test("a change of the query begins with the newest again", () => {
  const keys = [type("count"), up, type(" to")];
  expect(found(...keys)).toBe("count to 9");
  expect(press(...keys, { type: "edit", edit: "backspace" }).query).toBe("count t");
  expect(press(...keys, { type: "edit", edit: "kill_to_start" }).query).toBe("");
});

test("enter takes what was found, and so does going on to edit it; esc takes nothing", () => {
  const search = press(type("models"));
  expect(pressSearch(history, search, { type: "enter" })).toEqual({
    search: undefined,
    taken: "list models",
  });
  expect(pressSearch(history, search, { type: "edit", edit: "line_end" }).taken).toBe(
    "list models",
  );
  expect(pressSearch(history, search, { type: "leave" })).toEqual({ search: undefined });
});

test("a query has one row and nothing a terminal obeys", () => {
  expect(press(type("a\nb\u001B[2J")).query).toBe("a b");
});
