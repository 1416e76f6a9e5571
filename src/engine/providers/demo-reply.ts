import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { tellPassages } from "./demo-passages.ts";

/** What the demo model says next. */
export interface Reply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly tool_calls?: readonly DemoCall[];
  readonly slowly?: boolean;
}

export interface DemoCall {
  readonly tool: string;
  readonly input: unknown;
}

const COUNT_MAX = 2000;

const WHAT_I_AM =
  "I am troupe's built-in demo model: a small set of rules, no language model. I work offline and always answer the same way, so that everything around me can be tried and tested.";

const REAL_MODEL =
  "For real answers, add a model with `POST /api/v1/models` (for example type `ollama`, or `openai_compatible` with a `base_url`) and give its name to an agent.";

/** The rules, first match first. Pure: the same prompt always gives the same reply. */
export function planReply(prompt: LanguageModelV4Prompt, tools: readonly string[]): Reply {
  const results = lastResults(prompt);
  if (results.length > 0) return { text: results.map(tellResult).join("\n\n") };
  const message = lastMessage(prompt);
  const slowly = /\bslowly\b/i.test(message);
  const reasoning = /^\s*think\b/i.test(message)
    ? "The person wants me to think first. I have."
    : undefined;
  const reply = answer(message.trim(), tools);
  return { ...reply, ...(slowly ? { slowly } : {}), ...(reasoning ? { reasoning } : {}) };
}

function answer(message: string, tools: readonly string[]): Reply {
  for (const rule of RULES) {
    const match = rule.when.exec(message);
    const reply = match && rule.reply(match, tools, message);
    if (reply) return reply;
  }
  return { text: `${WHAT_I_AM}\n\n${suggestions(tools)}\n\n${REAL_MODEL}` };
}

interface Rule {
  readonly when: RegExp;
  /** Undefined when the rule needs a tool that the agent does not have. */
  reply(match: RegExpExecArray, tools: readonly string[], message: string): Reply | undefined;
}

const use = (tools: readonly string[], tool: string, input: unknown): Reply | undefined =>
  tools.includes(tool) ? { tool_calls: [{ tool, input }] } : undefined;

const RULES: readonly Rule[] = [
  { when: /^echo\s([\s\S]*)/i, reply: ([, text = ""]) => ({ text }) },
  { when: /^count to (\d+)/i, reply: ([, to]) => ({ text: countTo(Number(to)) }) },
  { when: /^call\s+\w/i, reply: (_, tools, message) => explicitCalls(message, tools) },
  {
    when: /^remember\s+(.+)/is,
    reply: ([, content], tools) => use(tools, "memory_store", { content }),
  },
  {
    when: /what do you remember(?: about (.+?))?[?.!]*$/i,
    reply: ([, query], tools) => use(tools, "memory_recall", query ? { query } : {}),
  },
  {
    when: /^create a task (?:to |called |: ?)?(.+)/i,
    reply: ([, title], tools) =>
      use(tools, "manage_tasks", { action: "create", tasks: [{ title }] }),
  },
  {
    when: /^(?:ask|delegate to) (?:the )?([a-z0-9-]+),? (?:to )?(.+)/is,
    reply: ([, agent = "", description], tools) =>
      use(tools, `spawn_${agent.toLowerCase()}`, { action: "spawn", description }),
  },
  {
    when: /^What should I call you\?: (.+)\nWhat interests you most\?: (.+)/i,
    reply: ([, name, topic]) => ({
      text: `Nice to meet you, ${name}! You said that ${topic} interest you most: ask me about them.`,
    }),
  },
  { when: /\bform\b|^ask me\b/i, reply: (_, tools) => use(tools, "show_structured_output", FORM) },
  {
    when: /\b(what(?:'s| is) the (?:time|date)|what time|what day|current (?:time|date))\b/i,
    reply: (_, tools, message) => use(tools, "current_time", timeZoneOf(message)),
  },
  {
    when: /^(hi|hello|hey|good (?:morning|day|evening))\b[^?]*$/i,
    reply: (_, tools) => ({ text: `Hello! ${WHAT_I_AM}\n\n${suggestions(tools)}` }),
  },
  {
    when: /\b(who|what) are you\b/i,
    reply: (_, tools) => ({ text: `${WHAT_I_AM}\n\n${suggestions(tools)}\n\n${REAL_MODEL}` }),
  },
  {
    when: /\?|^(how|what|where|when|why|who|which|can|does|is|are|tell|explain|show|describe)\b/i,
    reply: (_, tools, query) => use(tools, "knowledge_search", { query }),
  },
];

const FORM = {
  output_type: "form",
  title: "A small form",
  description: "The demo model asks, so that forms can be tried.",
  questions: [
    { id: "name", label: "What should I call you?", type: "text" },
    {
      id: "topic",
      label: "What interests you most?",
      type: "select",
      options: [{ label: "Agents" }, { label: "Tools" }, { label: "Knowledge" }],
    },
  ],
};

const countTo = (to: number): string =>
  Array.from({ length: Math.min(to, COUNT_MAX) }, (_, index) => index + 1).join(" ");

/** `call TOOL {json}`, a line each: exactly these calls, so that every tool can be tried by hand. */
function explicitCalls(message: string, tools: readonly string[]): Reply {
  const lines = message.split("\n").filter((line) => /^\s*call\s/i.test(line));
  const calls = lines.map((line) => {
    const [, tool = "", json = ""] = /^\s*call\s+([\w.-]+)\s*(.*)$/i.exec(line) ?? [];
    return { tool, input: parse(json || "{}") };
  });
  const unknown = calls.find(({ tool }) => !tools.includes(tool));
  if (!unknown) return { tool_calls: calls };
  return {
    text: `I have no tool called "${unknown.tool}". I have: ${tools.join(", ") || "none"}.`,
  };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

const timeZoneOf = (message: string): { time_zone?: string } => {
  const zone = /\b([A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+)\b/.exec(message)?.[1];
  return zone ? { time_zone: zone } : {};
};

const SUGGESTIONS = 5;

/** A few things to try, of those that this agent can do. */
function suggestions(tools: readonly string[]): string {
  const has = (tool: string) => tools.includes(tool);
  const helper = tools.find((tool) => tool.startsWith("spawn_"))?.slice("spawn_".length);
  const all: [boolean, string][] = [
    [has("knowledge_search"), '"How do I create a token?": I look it up in my documents'],
    [has("show_structured_output"), '"Show me a form": I ask you back'],
    [has("memory_store"), '"Remember that I like tea": I keep it, if you allow me to'],
    [helper !== undefined, `"Ask the ${helper} to explain sessions": another agent does it for me`],
    [has("current_time"), '"What time is it?": I use a tool'],
    [true, '"count to 100 slowly": a long answer, to see it stream or to stop it'],
    [true, '"echo something": I say it after you'],
  ];
  const can = all.filter(([able]) => able).slice(0, SUGGESTIONS);
  return `Try:\n\n${can.map(([, text]) => `- ${text}`).join("\n")}`;
}

interface Result {
  readonly tool: string;
  readonly text: string;
  readonly failed: boolean;
}

/** The results at the end of the prompt: what the model is to go on from. */
function lastResults(prompt: LanguageModelV4Prompt): Result[] {
  const last = prompt.findLast((message) => !isNote(message));
  if (last?.role !== "tool") return [];
  return last.content.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const { output, toolName: tool } = part;
    const text = unmarked("value" in output ? String(output.value) : "");
    return [{ tool, text, failed: output.type.startsWith("error") }];
  });
}

/** What the engine tells a model on the side is nothing to answer. */
function isNote(message: LanguageModelV4Message): boolean {
  if (message.role === "system") return true;
  const [part] = message.role === "user" ? message.content : [];
  return part?.type === "text" && part.text.startsWith("[Note from the system]");
}

/** The data between the marks that tell a model not to take it for orders. */
const unmarked = (text: string): string =>
  /^<untrusted[^>]*>\n([\s\S]*)\n<\/untrusted>/.exec(text)?.[1] ?? text;

function tellResult({ tool, text, failed }: Result): string {
  if (failed) return `The tool \`${tool}\` could not do it: ${text.replace(/^\[ERROR\]\s*/, "")}`;
  if (tool === "current_time") return `It is ${text}.`;
  if (tool === "knowledge_search") return tellPassages(text);
  if (tool === "memory_store") return "I will remember that.";
  if (tool === "memory_recall") return text.replace(/^(?=1\.)/, "I remember:\n\n");
  if (tool.startsWith("spawn_"))
    return text.replace(/^Agent "(.+?)" completed:/, "The $1 answered:");
  return `\`${tool}\` answered: ${text}`;
}

function lastMessage(prompt: LanguageModelV4Prompt): string {
  const last = prompt.findLast((message) => message.role === "user" && !isNote(message));
  if (last?.role !== "user") return "";
  return last.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
