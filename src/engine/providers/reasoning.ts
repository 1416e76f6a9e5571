import type {
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningPart,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";

/** Under this name the engine keeps what a step's reasoning was, block by block. */
const OWN = "troupe";

interface Block {
  text: string;
  metadata: SharedV4ProviderMetadata;
}

type Part = LanguageModelV4StreamPart;

/**
 * The engine keeps a step's reasoning as one text with one metadata, but providers sign it block by
 * block, somewhere within a block, and also where they show no text of it. So each block ends with all
 * that is needed to send it and the ones before it again; reasoning without text rides on the first call,
 * because an empty text is not kept.
 */
export function joinReasoning(): TransformStream<Part, Part> {
  const blocks = new Map<string, Block>();
  let riding = false;
  return new TransformStream({
    transform(part, controller) {
      switch (part.type) {
        case "reasoning-start":
        case "reasoning-delta":
          addTo(blocks, part);
          return controller.enqueue(part);
        case "reasoning-end":
          addTo(blocks, part);
          return controller.enqueue(withBlocks(part, blocks));
        case "tool-call": {
          const rides = !riding && [...blocks.values()].every(({ text }) => text === "");
          riding = true;
          return controller.enqueue(rides ? withBlocks(part, blocks) : part);
        }
        default:
          return controller.enqueue(part);
      }
    },
  });
}

type ReasoningPart = Extract<
  Part,
  { type: "reasoning-start" | "reasoning-delta" | "reasoning-end" }
>;

function addTo(blocks: Map<string, Block>, part: ReasoningPart): void {
  const block = blocks.get(part.id) ?? { text: "", metadata: {} };
  if (part.type === "reasoning-delta") block.text += part.delta;
  for (const [provider, values] of Object.entries(part.providerMetadata ?? {})) {
    block.metadata[provider] = { ...block.metadata[provider], ...values };
  }
  blocks.set(part.id, block);
}

/** Blocks that nobody signed need not be told from each other. */
function withBlocks<Carrier extends { providerMetadata?: SharedV4ProviderMetadata }>(
  carrier: Carrier,
  blocks: ReadonlyMap<string, Block>,
): Carrier {
  const all = [...blocks.values()];
  if (all.every(({ metadata }) => Object.keys(metadata).length === 0)) return carrier;
  const kept = all.map(({ text, metadata }) => ({ length: text.length, metadata }));
  return {
    ...carrier,
    providerMetadata: { ...carrier.providerMetadata, [OWN]: { blocks: kept } },
  };
}

/** Gives a prompt's reasoning back in the blocks it came in, before what it led to. Pure. */
export const splitReasoning = (prompt: LanguageModelV4Prompt): LanguageModelV4Prompt =>
  prompt.map((message) => {
    if (message.role !== "assistant") return message;
    const silent = message.content.flatMap((part) =>
      part.type === "tool-call" ? blocksOf(part, "") : [],
    );
    const content = message.content.flatMap((part): typeof message.content => {
      if (part.type === "tool-call") return [withoutBlocks(part)];
      if (part.type !== "reasoning") return [part];
      const blocks = blocksOf(part, part.text);
      return blocks.length > 0 ? blocks : [part];
    });
    return { ...message, content: [...silent, ...content] };
  });

function withoutBlocks(part: LanguageModelV4ToolCallPart): LanguageModelV4ToolCallPart {
  if (part.providerOptions?.[OWN] === undefined) return part;
  const { [OWN]: _blocks, ...providerOptions } = part.providerOptions;
  return { ...part, providerOptions };
}

interface KeptBlock {
  readonly length: number;
  readonly metadata: SharedV4ProviderMetadata;
}

function blocksOf(
  { providerOptions }: { readonly providerOptions?: SharedV4ProviderOptions },
  whole: string,
): LanguageModelV4ReasoningPart[] {
  const blocks = (providerOptions?.[OWN]?.blocks ?? []) as unknown as readonly KeptBlock[];
  let start = 0;
  return blocks.map(({ length, metadata }) => {
    const text = whole.slice(start, start + length);
    start += length;
    return { type: "reasoning", text, providerOptions: metadata };
  });
}
