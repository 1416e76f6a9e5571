import type {
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningPart,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";

/** Under this name the engine keeps where the blocks of a step's reasoning were. */
const OWN = "troupe";

interface Block {
  text: string;
  metadata: SharedV4ProviderMetadata;
}

/**
 * The engine keeps a step's reasoning as one text with one metadata, but providers sign it block by
 * block, and somewhere within a block. So each block ends with all that is needed to send it and the
 * ones before it again.
 */
export function joinReasoning(): TransformStream<
  LanguageModelV4StreamPart,
  LanguageModelV4StreamPart
> {
  const blocks = new Map<string, Block>();
  return new TransformStream({
    transform(part, controller) {
      switch (part.type) {
        case "reasoning-start":
        case "reasoning-delta":
          addTo(blocks, part);
          return controller.enqueue(part);
        case "reasoning-end": {
          addTo(blocks, part);
          const providerMetadata = joined([...blocks.values()]);
          return controller.enqueue(providerMetadata ? { ...part, providerMetadata } : part);
        }
        default:
          return controller.enqueue(part);
      }
    },
  });
}

type ReasoningPart = Extract<
  LanguageModelV4StreamPart,
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

function joined(blocks: readonly Block[]): SharedV4ProviderMetadata | undefined {
  const signed = blocks.filter(({ metadata }) => Object.keys(metadata).length > 0);
  if (signed.length === 0) return undefined;
  if (blocks.length === 1) return blocks[0]?.metadata;
  const kept = blocks.map(({ text, metadata }) => ({ length: text.length, metadata }));
  return { [OWN]: { blocks: kept } };
}

/** Gives a prompt's reasoning back in the blocks it came in. Pure. */
export const splitReasoning = (prompt: LanguageModelV4Prompt): LanguageModelV4Prompt =>
  prompt.map((message) => {
    if (message.role !== "assistant") return message;
    const parts = message.content;
    const split = (part: (typeof parts)[number]): typeof parts =>
      part.type === "reasoning" ? blocksOf(part) : [part];
    return { ...message, content: parts.flatMap(split) };
  });

interface KeptBlock {
  readonly length: number;
  readonly metadata: SharedV4ProviderMetadata;
}

function blocksOf(part: LanguageModelV4ReasoningPart): LanguageModelV4ReasoningPart[] {
  const blocks = part.providerOptions?.[OWN]?.blocks as readonly KeptBlock[] | undefined;
  if (!blocks) return [part];
  let start = 0;
  return blocks.map(({ length, metadata }) => {
    const text = part.text.slice(start, start + length);
    start += length;
    return { type: "reasoning", text, providerOptions: metadata };
  });
}
