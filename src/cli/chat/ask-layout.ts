import type { ChatTarget } from "./chat-session.ts";
import { type Ask, answerRequest, type Block, type Question } from "./interrupt.ts";
import { safeJson, sanitize, sanitizeLine } from "./sanitize.ts";
import { type Line, type Span, span, withPrefix, wrapSpans } from "./styled-line.ts";

interface AskView {
  readonly columns: number;
  readonly place: string;
  readonly target: ChatTarget;
}

const DIM = { dim: true } as const;
const BAR: Line = [span("┃ ", { colour: "yellow" })];

/** What is asked, and the request that answers it, in a block that stands out. */
export function askLines(ask: Ask, session_id: string, view: AskView): Line[] {
  const question =
    ask.kind === "confirmation" ? confirmationSpans(ask.question) : blockSpans(ask.block);
  const { path, body } = answerRequest(ask, view.target.schema, session_id);
  const base = /^https?:/.test(view.place) ? view.place.replace(/\/$/, "") : "";
  const rows = [
    ...question,
    [],
    [span(adviceOf(ask), DIM)],
    [span(sanitizeLine(`POST ${base}${path}`))],
    [span(safeJson(body))],
  ].flatMap((line) => wrapSpans(line, view.columns - 2));
  return withPrefix(rows, BAR, BAR);
}

function adviceOf(ask: Ask): string {
  if (ask.kind === "confirmation") {
    return 'The turn waits for the answer over the API: "approve", or "reject: and why".';
  }
  return "Answer over the API, or write a message to go on without an answer.";
}

const confirmationSpans = (question: string): Span[][] => [
  [span("Approval needed", { bold: true, colour: "yellow" })],
  [span(sanitize(question))],
];

function blockSpans(block: Block): Span[][] {
  return [
    [span(sanitizeLine(block.title) || "The agent asks", { bold: true, colour: "yellow" })],
    ...(block.description ? [[span(sanitize(block.description))]] : []),
    ...block.rows.map(({ label, value }) => [
      span(`${sanitizeLine(label)}: `, DIM),
      span(sanitize(value)),
    ]),
    ...block.questions.flatMap(questionSpans),
    ...block.actions.map(({ label, value }) => [
      span(`[${sanitizeLine(label)}]`, { bold: true }),
      span(` ${sanitizeLine(value)}`, DIM),
    ]),
  ];
}

function questionSpans(question: Question, index: number): Span[][] {
  const preset = question.default ? `, default ${sanitizeLine(question.default)}` : "";
  const options = question.options.map((option) => [span(`   - ${sanitizeLine(option)}`)]);
  return [
    [
      span(`${index + 1}. ${sanitizeLine(question.label)}`),
      span(` (${sanitizeLine(question.id)}, ${sanitizeLine(question.type)}${preset})`, DIM),
    ],
    ...options,
  ];
}
