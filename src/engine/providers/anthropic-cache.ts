import type { LanguageModelV4Message, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ChatModelCall, ModelConnection } from "./provider.ts";

type CacheControl = NonNullable<ModelConnection["cache_control"]>;
type Breakpoint = NonNullable<CacheControl["breakpoints"]>[number];

const EVERYWHERE: readonly Breakpoint[] = ["tools", "system", "history"];

/** A rough measure, only to leave out what the provider would not cache anyway. */
const CHARACTERS_PER_TOKEN = 4;

const MARK: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/**
 * Marks up to where the provider may remember a prompt: behind the tools, the system text and the last
 * message, in the order in which it reads them. Pure.
 */
export function withCacheBreakpoints(
  call: ChatModelCall,
  cache_control: CacheControl | undefined,
): ChatModelCall {
  if (!cache_control?.enabled) return call;
  const { breakpoints = EVERYWHERE, min_prefix_tokens = 0 } = cache_control;
  const { tools = [], prompt } = call;
  const system = prompt.filter(({ role }) => role === "system");
  const lengths = {
    tools: lengthOf(tools),
    system: lengthOf(tools) + lengthOf(system),
    history: lengthOf(tools) + lengthOf(prompt),
  };
  const marks = (breakpoint: Breakpoint) =>
    breakpoints.includes(breakpoint) &&
    lengths[breakpoint] / CHARACTERS_PER_TOKEN >= min_prefix_tokens;

  const last = prompt.length - 1;
  const mark = (message: LanguageModelV4Message, index: number): LanguageModelV4Message => {
    const at: Breakpoint = message.role === "system" ? "system" : "history";
    const marked = (at === "system" || index === last) && marks(at);
    return marked ? { ...message, providerOptions: MARK } : message;
  };
  return {
    ...call,
    prompt: prompt.map(mark),
    ...(marks("tools") && tools.length > 0 ? { tools: markLast(tools) } : {}),
  };
}

const lengthOf = (values: readonly unknown[]): number =>
  values.length === 0 ? 0 : JSON.stringify(values).length;

const markLast = (tools: NonNullable<ChatModelCall["tools"]>) =>
  tools.map((tool, index) =>
    index === tools.length - 1 && tool.type === "function"
      ? { ...tool, providerOptions: MARK }
      : tool,
  );
