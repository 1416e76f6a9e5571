import { answerRequest } from "./answer-request.ts";
import { type Ask, type Block, needsAnswer, type Question } from "./interrupt.ts";
import { barred } from "./panel.ts";
import { safeJson, sanitize, sanitizeLine } from "./sanitize.ts";
import { type Line, type Span, span, wrapSpans } from "./styled-line.ts";

export interface AskView {
  readonly columns: number;
  readonly place: string;
  readonly schema: string;
  /** The command line that opens the session in a terminal. */
  readonly resume_command: string;
}

const DIM = { dim: true } as const;

/** What is asked, and how to answer it from elsewhere: for output that nobody can type into. */
export function askLines(ask: Ask, session_id: string, view: AskView): Line[] {
  const question = ask.kind === "confirmation" ? confirmationSpans(ask) : blockSpans(ask.block);
  const rows = [...question, ...adviceSpans(ask, session_id, view)];
  return barred(rows.flatMap((line) => wrapSpans(line, view.columns - 2)));
}

function adviceSpans(ask: Ask, session_id: string, view: AskView): Span[][] {
  const { place, schema, resume_command } = view;
  if (ask.kind === "interrupt" && !needsAnswer(ask.block)) return [];
  const is_server = /^https?:/.test(place);
  if (ask.kind === "confirmation" && !is_server)
    return [[], [span(WAITS_FOR_NEXT, DIM)], [span(`  ${sanitizeLine(resume_command)}`)]];
  const { path, body } = answerRequest(ask, schema, session_id);
  const base = is_server ? place.replace(/\/$/, "") : "";
  return [
    [],
    [span(adviceOf(ask), DIM)],
    [span(`  ${sanitizeLine(resume_command)}`)],
    [span("or over the API:", DIM)],
    [span(`  POST ${sanitizeLine(`${base}${path}`)}`)],
    [span(`  ${safeJson(body)}`)],
  ];
}

/** Only the process that runs a turn can take an answer for it. */
const WAITS_FOR_NEXT =
  "The turn waits for this approval, and this command, which runs the agents itself, ends. Give it, or reject the call, in a terminal:";

const adviceOf = ({ kind }: Ask): string =>
  kind === "confirmation"
    ? "Waiting for this approval. Give it, or reject the call, in a terminal:"
    : "The turn is paused. Answer in a terminal, or send a message to go on without:";

const confirmationSpans = ({ tool, question }: Ask & { kind: "confirmation" }): Span[][] => [
  [
    span(`Approval needed${tool && `: ${sanitizeLine(tool)}`}`, {
      bold: true,
      colour: "yellow",
    }),
  ],
  [span(sanitize(question))],
];

const titleOf = (block: Block): string =>
  needsAnswer(block) ? "The agent asks" : "The agent shows";

function blockSpans(block: Block): Span[][] {
  return [
    [span(sanitizeLine(block.title) || titleOf(block), { bold: true, colour: "yellow" })],
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
  const options = question.options.map((option) => [span(`   - ${sanitizeLine(option.label)}`)]);
  return [
    [
      span(`${index + 1}. ${sanitizeLine(question.label)}`),
      span(` (${sanitizeLine(question.id)}, ${sanitizeLine(question.type)}${preset})`, DIM),
    ],
    ...options,
  ];
}
