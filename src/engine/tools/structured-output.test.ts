import { describe, expect, test } from "vitest";
import { completeBlock, describeAnswers, type StructuredOutput } from "./structured-output.ts";

const FORM: StructuredOutput = {
  output_type: "form",
  questions: [
    { id: "where", label: "Where to?", type: "text" },
    {
      id: "how",
      label: "How?",
      type: "multiselect",
      options: [
        { label: "By train", value: "train" },
        { label: "By bike", value: "bike" },
      ],
    },
  ],
  actions: [{ label: "Book now", type: "primary", value: "book" }],
};

const told = (payload: unknown, block = FORM) => describeAnswers(block, payload);
const answer = (question_id: string, value: unknown, label?: string) =>
  told({ answers: [{ question_id, value, ...(label === undefined ? {} : { label }) }] });

describe("a person's answers as the model reads them", () => {
  test("are one line each, the question's label with the answer", () => {
    const answers = [
      { question_id: "where", value: "Turku" },
      { question_id: "how", value: "train", label: "By train" },
    ];
    expect(told({ answers })).toBe("Where to?: Turku\nHow?: By train");
  });

  test.each([
    ["a chosen value by its label", answer("how", "bike"), "How?: By bike"],
    ["several chosen values by theirs", answer("how", "train\nbike"), "How?: By train, By bike"],
    ["a value that is no option", answer("how", "on foot"), "How?: on foot"],
    ["lines of text as they are", answer("where", "Turku\nor Oulu"), "Where to?: Turku\nor Oulu"],
    ["the label that came with it", answer("how", "x", "By ship"), "How?: By ship"],
    ["what is no text as JSON", answer("where", ["Turku", 2]), 'Where to?: ["Turku",2]'],
    ["what was left open as empty", answer("where", undefined), "Where to?: "],
    ["a question that was not asked by its id", answer("when", "now"), "when: now"],
    ["an action by its label", answer("action", "book"), "action: Book now"],
  ])("tell %s", (_what, text, expected) => {
    expect(text).toBe(expected);
  });

  test.each([
    ["a text", "just go", "just go"],
    ["a list", ["just", "go"], '["just","go"]'],
    ["an object of another shape", { city: "Turku" }, '{"city":"Turku"}'],
    ["answers that are no list", { answers: "Turku" }, '{"answers":"Turku"}'],
    ["no answers", { answers: [] }, "(no answers)"],
    ["an empty text", "", "(no answers)"],
    ["nothing", undefined, "(no answers)"],
    ["null", null, "(no answers)"],
  ])("are taken as they come: %s", (_what, payload, expected) => {
    expect(told(payload)).toBe(expected);
  });
});

describe("a block as clients get it", () => {
  test("has what its agent left out", () => {
    const block = {
      output_type: "form" as const,
      questions: [
        {
          label: "How?",
          type: "select" as const,
          options: [{ label: "By train", value: "train" }, { label: "By bike" }],
        },
      ],
    };
    expect(completeBlock(block, "12345678-9abc").questions).toEqual([
      {
        id: "q-12345678",
        label: "How?",
        type: "select",
        options: [
          { label: "By train", value: "train" },
          { label: "By bike", value: "By bike" },
        ],
      },
    ]);
  });

  test("without questions stays without them", () => {
    expect(completeBlock({ output_type: "info", title: "Hi" }, "i")).toEqual({
      output_type: "info",
      title: "Hi",
    });
  });
});
