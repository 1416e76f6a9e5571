import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { CreateChatModel } from "#engine/providers/provider.ts";

interface Reply {
  readonly text?: string;
  readonly calls?: readonly { readonly tool: string; readonly input: object }[];
}

const FORM = {
  output_type: "form",
  questions: [{ id: "colour", label: "Which colour?", type: "text" }],
};

/** What each agent says next, by how many of its calls have a result: the same after every restart. */
const SCRIPTS: Readonly<Record<string, readonly Reply[]>> = {
  lead: [
    {
      calls: [
        { tool: "append_line", input: { line: "lead-1" } },
        { tool: "current_time", input: {} },
        { tool: "append_line", input: { line: "lead-2" } },
      ],
    },
    {},
    {},
    { calls: [{ tool: "spawn_helper", input: { description: "help" } }] },
    { calls: [{ tool: "append_line", input: { line: "lead-3" } }] },
    { text: "All done." },
  ],
  helper: [
    { calls: [{ tool: "append_line", input: { line: "helper-1" } }] },
    { calls: [{ tool: "show_structured_output", input: FORM }] },
    { calls: [{ tool: "append_line", input: { line: "helper-2" } }] },
    { text: "Helped." },
  ],
  worker: [
    { calls: [{ tool: "append_line", input: { line: "work-1" } }] },
    { calls: [{ tool: "manage_tasks", input: { action: "create", title: "noted" } }] },
    { calls: [{ tool: "show_structured_output", input: FORM }] },
    { calls: [{ tool: "append_line", input: { line: "work-2" } }] },
    { text: "Worked." },
  ],
  clerk: [{ calls: [{ tool: "current_time", input: {} }] }, { text: "Filed." }],
};

/** A model without state: what it says follows from the prompt alone, as with a real one. */
export const scriptedReplies: CreateChatModel = async () => ({
  async doStream({ prompt }) {
    const parts = partsOf(replyTo(prompt));
    return {
      stream: new ReadableStream<LanguageModelV4StreamPart>({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      }),
    };
  },
});

function replyTo(prompt: LanguageModelV4Prompt): Reply {
  const users = prompt.flatMap((message) =>
    message.role === "user"
      ? message.content.map((part) => (part.type === "text" ? part.text : ""))
      : [],
  );
  if (users.at(-1) === "and now?") return { text: "Still here." };
  const system = prompt[0]?.role === "system" ? prompt[0].content : "";
  const results = prompt.flatMap((message) => (message.role === "tool" ? message.content : []));
  return SCRIPTS[system]?.[results.length] ?? { text: "(no script)" };
}

function partsOf({ text, calls = [] }: Reply): LanguageModelV4StreamPart[] {
  const said: LanguageModelV4StreamPart[] = text
    ? [
        { type: "text-start", id: "t" },
        { type: "text-delta", id: "t", delta: text },
        { type: "text-end", id: "t" },
      ]
    : [];
  const called = calls.map(
    ({ tool, input }, index): LanguageModelV4StreamPart => ({
      type: "tool-call",
      toolCallId: `call-${index}`,
      toolName: tool,
      input: JSON.stringify(input),
    }),
  );
  const count = { noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  return [
    { type: "stream-start", warnings: [] },
    ...said,
    ...called,
    {
      type: "finish",
      finishReason: { unified: calls.length > 0 ? "tool-calls" : "stop", raw: undefined },
      usage: {
        inputTokens: { total: 10, ...count },
        outputTokens: { total: 5, text: undefined, reasoning: undefined },
      },
    },
  ];
}
