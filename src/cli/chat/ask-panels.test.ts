import { describe, expect, test } from "vitest";
import { approvalPanel } from "./approval-layout.ts";
import { type OpenApproval, type OpenForm, unanswered } from "./asks.ts";
import { formPanel } from "./form-layout.ts";
import { type Confirmation, type Interrupt, parseInterrupt } from "./interrupt.ts";
import { fitPanel, type Panel } from "./panel.ts";
import { lineColumns, lineText } from "./styled-line.ts";

const text = ({ lines }: Panel) => lines.map(lineText).join("\n");
const widest = ({ lines }: Panel) => Math.max(...lines.map(lineColumns));

function form(schema: object, at = 0): OpenForm {
  const { block } = parseInterrupt(JSON.stringify({ schema }));
  const ask: Interrupt = { kind: "interrupt", interrupt_id: "i1", block };
  const open = unanswered(ask) as OpenForm;
  return { ...open, form: { ...open.form, at } };
}

function approval(input: string | undefined, question = "?"): OpenApproval {
  const ask: Confirmation = {
    kind: "confirmation",
    call_id: "c1",
    tool: "delete",
    question,
    input,
  };
  return unanswered(ask) as OpenApproval;
}

const long = "A label that goes on for much longer than forty columns 漢字漢字漢字漢字漢字";

describe("a form on the screen", () => {
  const choice = {
    title: "Order",
    questions: [
      {
        id: "q",
        label: long,
        type: "multiselect",
        options: [{ label: "One" }, { label: long }],
        default: "One",
      },
    ],
    actions: [
      { label: "Send it", value: "yes", type: "primary" },
      { label: "Do not", value: "no", type: "secondary" },
    ],
  };

  test("breaks long labels and keeps them below each other", () => {
    const panel = formPanel(form(choice), 38);
    expect(widest(panel)).toBeLessThanOrEqual(38);
    expect(text(panel)).toContain("› 1. [x] One\n  2. [ ] A label");
    expect(lineText(panel.lines[panel.cursor.y] ?? [])).toContain("› 1.");
  });

  test("shows its buttons side by side, or below each other", () => {
    const wide = formPanel(form(choice, 1), 60);
    expect(text(wide)).toContain("› [Send it]    [Do not]");
    expect(text(formPanel(form(choice, 1), 16))).toContain("› [Send it]\n  [Do not]");
  });

  test("shows no more than it was given to show", () => {
    const hostile = { title: "\u001B[2JTitle\nnext", questions: [{ id: "q", label: "\u202Ex" }] };
    expect(
      text(formPanel(form(hostile), 40))
        .split("\n")
        .slice(0, 2),
    ).toEqual(["Title next", "x"]);
  });

  test("shows what is around the cursor where there is little room", () => {
    const panel = formPanel(form(choice), 38);
    const small = fitPanel(panel, 2);
    expect(small.lines).toHaveLength(2);
    expect(lineText(small.lines[small.cursor.y] ?? [])).toContain("› 1.");
  });
});

describe("an approval on the screen", () => {
  const room = { columns: 40, rows: 10 };

  test("shows the arguments in full, with what cannot be seen", () => {
    const panel = approvalPanel(approval('{"to":"a\\u202Eb","n":[1]}'), room, 0);
    expect(text(panel)).toContain('  {\n    "to": "a\\u202eb",\n    "n": [\n      1');
    expect(text(panel)).toContain("cannot be seen");
    expect(text(approvalPanel(approval('{"to":"C:\\\\u0041"}'), room, 0))).not.toContain("cannot");
  });

  test("shows arguments that are no JSON, and those of a call that was not told", () => {
    expect(text(approvalPanel(approval("{broken"), room, 0))).toContain('"{broken"');
    expect(text(approvalPanel(approval(undefined, "Call x?"), room, 0))).toContain("  Call x?");
    const question = 'Agent "a" wants to call delete with {"id":7}';
    const panel = approvalPanel(approval(undefined, question), { columns: 60, rows: 20 }, 0);
    expect(text(panel)).toContain('wants to call delete with\n  {\n    "id": 7\n  }');
  });

  test("is no taller than its room and says how much there is", () => {
    const panel = approvalPanel(approval(JSON.stringify([...Array(50).keys()])), room, 2);
    expect(panel.lines.length).toBeLessThanOrEqual(room.rows);
    expect(text(panel)).toContain("rows 1-5 of 52");
    expect(text(panel)).toContain("2 more after this");
    expect(widest(panel)).toBeLessThanOrEqual(room.columns);
  });
});
