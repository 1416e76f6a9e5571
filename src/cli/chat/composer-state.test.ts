import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ComposerAction,
  type ComposerState,
  composedText,
  editComposer,
  emptyComposer,
} from "./composer-state.ts";

const type = (text: string, from: ComposerState = emptyComposer) =>
  editComposer(from, { type: "insert", text });
const press = (
  state: ComposerState,
  ...types: Exclude<ComposerAction["type"], "insert" | "paste" | "set" | "up" | "down">[]
) => types.reduce((next, each) => editComposer(next, { type: each }), state);
const vertical = (
  state: ComposerState,
  direction: "up" | "down",
  history: readonly string[] = [],
  columns = 40,
) => editComposer(state, { type: direction, columns, history });
/** The text with a bar where the cursor is. */
const shown = ({ value, cursor }: ComposerState) =>
  `${value.slice(0, cursor)}|${value.slice(cursor)}`;

describe("moving and deleting", () => {
  test("goes by what a reader takes for one character", () => {
    const family = type("a👩‍👩‍👧b");
    expect(shown(press(family, "left", "left"))).toBe("a|👩‍👩‍👧b");
    expect(shown(press(family, "left", "backspace"))).toBe("a|b");
    expect(shown(press(type("e\u0301x"), "line_start", "delete"))).toBe("|x");
    expect(shown(press(type("漢字"), "backspace"))).toBe("漢|");
  });

  test("goes by words over spaces and signs", () => {
    expect(shown(press(type("one two-three "), "word_left"))).toBe("one two-|three ");
    expect(shown(press(type("one two-three "), "word_left", "word_left", "word_right"))).toBe(
      "one two|-three ",
    );
    expect(shown(press(type("one two"), "kill_word"))).toBe("one |");
    expect(shown(press(type("one two"), "line_start", "kill_word_forward"))).toBe("| two");
  });

  test("stays within the line", () => {
    const text = press(type("one\ntwo\nthree"), "line_start", "left", "left");
    expect(shown(text)).toBe("one\ntw|o\nthree");
    expect(shown(press(text, "line_start"))).toBe("one\n|two\nthree");
    expect(shown(press(text, "line_end"))).toBe("one\ntwo|\nthree");
    expect(shown(press(text, "kill_to_end"))).toBe("one\ntw|\nthree");
    expect(shown(press(text, "kill_to_start"))).toBe("one\n|o\nthree");
  });

  test("puts back what was cut, also after the line was cleared", () => {
    expect(shown(press(type("one two"), "kill_word", "clear", "yank"))).toBe("two|");
  });
});

describe("up and down", () => {
  test("move between rows, near the column, and between the rows of a long line", () => {
    const text = type("漢字漢字\nabcd\nx");
    expect(shown(vertical(vertical(text, "up"), "up"))).toBe(
      "|漢字漢字\nabcd\nx".replace("|", "").replace("漢", "|漢"),
    );
    expect(shown(vertical(type("abcdefgh"), "up", [], 5))).toBe(
      "abcd|efgh".replace("abcd|efgh", "abcd|efgh"),
    );
  });

  test("walk through earlier prompts at the edges and come back to the draft", () => {
    const history = ["first", "second"];
    const draft = type("draft");
    const once = vertical(draft, "up", history);
    expect(once.value).toBe("second");
    const twice = vertical(once, "up", history);
    expect(twice.value).toBe("first");
    expect(vertical(twice, "up", history).value).toBe("first");
    expect(vertical(vertical(twice, "down", history), "down", history).value).toBe("draft");
    expect(vertical(draft, "down", history).value).toBe("draft");
  });

  test("an earlier prompt that was changed is a draft of its own", () => {
    const changed = type("!", vertical(emptyComposer, "up", ["first", "second"]));
    expect(changed).toMatchObject({ value: "second!", history_at: -1 });
  });
});

describe("pasting", () => {
  const long = Array.from({ length: 120 }, (_, index) => `line ${index}`).join("\n");
  const paste = (text: string, from: ComposerState = emptyComposer) =>
    editComposer(from, { type: "paste", text });

  test("a few lines are text, and no line end sends", () => {
    expect(paste("one\r\ntwo\rthree").value).toBe("one\ntwo\nthree");
  });

  test("many lines stand as a label and are sent in full", () => {
    const state = type(" what?", paste(long));
    expect(state.value).toBe("[pasted 120 lines] what?");
    expect(composedText(state)).toBe(`${long} what?`);
  });

  test("labels are told apart and go as a whole", () => {
    const state = paste(`${long}\nend`, paste(long));
    expect(state.value).toBe("[pasted 120 lines][pasted 121 lines #2]");
    expect(composedText(state)).toBe(`${long}${long}\nend`);
    expect(press(state, "backspace").value).toBe("[pasted 120 lines]");
  });

  test("takes no escape sequence in", () => {
    expect(paste("a\u001B[31mb\u0007").value).toBe("ab");
    expect(type("\u001B]0;x\u0007y").value).toBe("y");
  });

  test("five megabytes are fast", () => {
    const started = performance.now();
    const state = paste("x".repeat(5_000_000));
    expect(composedText(press(state, "left", "right", "word_left", "line_end")).length).toBe(
      5_000_000,
    );
    expect(performance.now() - started).toBeLessThan(1500);
  });
});

test("whatever is typed, the cursor stays within the text", () => {
  const step = fc.oneof(
    fc.string({ unit: "grapheme" }).map((text): ComposerAction => ({ type: "insert", text })),
    fc.string({ unit: "binary" }).map((text): ComposerAction => ({ type: "paste", text })),
    fc
      .constantFrom(
        "backspace",
        "delete",
        "left",
        "right",
        "word_left",
        "word_right",
        "kill_word",
        "yank",
        "line_end",
      )
      .map((each): ComposerAction => ({ type: each })),
    fc
      .constantFrom("up", "down")
      .map((each): ComposerAction => ({ type: each, columns: 7, history: ["a\nb", "c"] })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { value, cursor } = steps.reduce(editComposer, emptyComposer);
      expect(cursor).toBeGreaterThanOrEqual(0);
      expect(cursor).toBeLessThanOrEqual(value.length);
    }),
  );
});
