import { describe, expect, test } from "vitest";
import type { AnswerKey } from "./answer-keys.ts";
import { answersOf, answerTexts, type FormState, openForm, pressForm } from "./form-state.ts";
import { type Block, parseInterrupt } from "./interrupt.ts";

const order: Block = parseInterrupt(
  JSON.stringify({
    schema: {
      title: "Order",
      questions: [
        { id: "name", label: "Your name?", type: "text", default: "Ada" },
        {
          id: "size",
          label: "Size",
          type: "select",
          options: [
            { label: "Small", value: "s" },
            { label: "Large", value: "l" },
          ],
          default: "l",
        },
        {
          id: "extras",
          label: "Extras",
          type: "multiselect",
          options: [{ label: "Milk" }, { label: "Sugar" }, { label: "Foam" }],
          default: "Milk, Foam",
        },
      ],
    },
  }),
).block;

const text = (typed: string): AnswerKey => ({ type: "insert", text: typed });
const up: AnswerKey = { type: "move", direction: "up" };
const down: AnswerKey = { type: "move", direction: "down" };
const enter: AnswerKey = { type: "enter" };
const back: AnswerKey = { type: "back" };
const edit = (change: "left" | "right" | "kill_to_start"): AnswerKey => ({
  type: "edit",
  edit: change,
});

const press = (block: Block, keys: readonly AnswerKey[], from = openForm(block)): FormState =>
  keys.reduce((form, key) => pressForm(form, block, key, 40).state, from);
const values = (block: Block, keys: readonly AnswerKey[]) =>
  answersOf(press(block, keys), block).map(({ value }) => value);

describe("a form", () => {
  test("is filled with its defaults, by value or by label", () => {
    expect(values(order, [])).toEqual(["Ada", "l", "Milk\nFoam"]);
  });

  test("takes text, an option, and several options", () => {
    const keys = [edit("kill_to_start"), text("Grace"), enter, up, enter, down, text(" ")];
    expect(answersOf(press(order, keys), order)).toEqual([
      { question_id: "name", value: "Grace" },
      { question_id: "size", value: "s", label: "Small" },
      { question_id: "extras", value: "Milk\nSugar\nFoam", label: "Milk, Sugar, Foam" },
    ]);
  });

  test("chooses by number, but only those there are, and does not go on by itself", () => {
    const chosen = press(order, [enter, text("1"), text("9"), text("12")]);
    expect(chosen.at).toBe(1);
    expect(answersOf(chosen, order)[1]?.value).toBe("s");
    expect(values(order, [enter, enter, text("1"), text("2")])[2]).toBe("Sugar\nFoam");
  });

  test("is sent by enter on its last question only", () => {
    const last = press(order, [enter, enter]);
    expect(pressForm(press(order, [enter]), order, enter, 40).outcome).toBeUndefined();
    expect(pressForm(last, order, enter, 40).outcome).toBe("send");
    expect(pressForm(last, order, { type: "next" }, 40)).toEqual({ state: last });
  });

  test("goes back with shift+tab, or up from the first row, and keeps what was given", () => {
    const corrected = [text("!"), enter, text("1"), enter, back, back, text("?"), enter];
    expect(press(order, corrected).at).toBe(1);
    expect(values(order, corrected).slice(0, 2)).toEqual(["Ada!?", "s"]);
    expect(press(order, [enter, text("1"), up]).at).toBe(0);
    expect(press(order, [enter, enter, up]).at).toBe(1);
    expect(press(order, [enter, up, up]).at).toBe(0);
    expect(press(order, [up, back]).at).toBe(0);
  });

  test("goes through the rows of a text before it goes back", () => {
    const two_rows = press(order, [enter, back, text("\n"), text("b"), up]);
    expect(two_rows.at).toBe(0);
    expect(press(order, [enter, back, text("\n"), up, up]).at).toBe(0);
  });

  test("ends with its buttons, the primary one chosen", () => {
    const block: Block = {
      ...order,
      actions: [
        { label: "Cancel", value: "no", is_primary: false },
        { label: "Order", value: "yes", is_primary: true },
      ],
    };
    const at_buttons = press(block, [enter, enter, enter]);
    expect(answersOf(at_buttons, block).at(-1)).toEqual({
      question_id: "action",
      value: "yes",
      label: "Order",
    });
    expect(answersOf(press(block, [edit("left")], at_buttons), block).at(-1)?.value).toBe("no");
    expect(press(block, [edit("right"), edit("right")], at_buttons).action).toBe(1);
    expect(press(block, [up, up], at_buttons).at).toBe(2);
    expect(pressForm(at_buttons, block, enter, 40).outcome).toBe("send");
  });

  test("asks for text where it does not know the type, or there is nothing to choose", () => {
    const question = { id: "q", label: "Q", type: "select", options: [], default: "" };
    const block: Block = { ...order, questions: [question, { ...question, type: "slider" }] };
    expect(openForm(block).fields.map(({ type }) => type)).toEqual(["text", "text"]);
  });

  test("is left without a change", () => {
    const form = press(order, [text("x")]);
    expect(pressForm(form, order, { type: "leave" }, 40)).toEqual({
      state: form,
      outcome: "leave",
    });
  });
});

test("answers are told with the questions' labels and the options'", () => {
  const answers = [
    { question_id: "size", value: "l" },
    { question_id: "extras", value: "Milk\nFoam" },
    { question_id: "gone", value: "x" },
    { question_id: "action", value: "yes", label: "Order" },
  ];
  expect(answerTexts(order, answers)).toEqual([
    { label: "Size", text: "Large" },
    { label: "Extras", text: "Milk, Foam" },
    { label: "gone", text: "x" },
    { label: "", text: "Order" },
  ]);
});
