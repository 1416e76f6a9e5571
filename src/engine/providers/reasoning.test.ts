import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { joinReasoning, splitReasoning } from "./reasoning.ts";

const start = (id: string, values?: object) => part("reasoning-start", id, { values });
const delta = (id: string, text: string, values?: object) =>
  part("reasoning-delta", id, { delta: text, values });
const end = (id: string) => part("reasoning-end", id, {});

function part(type: string, id: string, { values, ...fields }: Record<string, unknown>) {
  const metadata = values ? { providerMetadata: { anthropic: values } } : {};
  return { type, id, ...fields, ...metadata } as LanguageModelV4StreamPart;
}

const call = (toolCallId: string, providerMetadata?: object) =>
  ({
    type: "tool-call",
    toolCallId,
    toolName: "look",
    input: "{}",
    ...(providerMetadata ? { providerMetadata } : {}),
  }) as LanguageModelV4StreamPart;

const asPromptPart = (part: unknown) => {
  const { providerMetadata: providerOptions } = part as { providerMetadata: never };
  return {
    type: "tool-call" as const,
    toolCallId: "a",
    toolName: "look",
    input: {},
    providerOptions,
  };
};

async function joined(parts: readonly LanguageModelV4StreamPart[]) {
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      for (const each of parts) controller.enqueue(each);
      controller.close();
    },
  });
  const all: LanguageModelV4StreamPart[] = [];
  for await (const each of stream.pipeThrough(joinReasoning())) all.push(each);
  return all;
}

/** What the engine keeps of a step, and gives back: all the text and the last end's metadata. */
async function roundTrip(...parts: LanguageModelV4StreamPart[]) {
  let text = "";
  let providerOptions: Record<string, never> | undefined;
  for (const each of await joined(parts)) {
    if (each.type === "reasoning-delta") text += each.delta;
    if (each.type === "reasoning-end" && each.providerMetadata) {
      providerOptions = JSON.parse(JSON.stringify(each.providerMetadata));
    }
  }
  const prompt: LanguageModelV4Prompt = [
    {
      role: "assistant",
      content: [{ type: "reasoning", text, ...(providerOptions ? { providerOptions } : {}) }],
    },
  ];
  return splitReasoning(prompt)[0]?.content;
}

const reasoning = (text: string, values: object) => ({
  type: "reasoning",
  text,
  providerOptions: { anthropic: values },
});

describe("reasoning comes back to its provider", () => {
  test("with the signature that came within its block", async () => {
    const back = await roundTrip(
      start("0"),
      delta("0", "Well."),
      delta("0", "", { signature: "s1" }),
      end("0"),
    );
    expect(back).toEqual([reasoning("Well.", { signature: "s1" })]);
  });

  test("block by block, each with its own signature", async () => {
    const back = await roundTrip(
      start("0"),
      delta("0", "Well."),
      delta("0", "", { signature: "s1" }),
      end("0"),
      start("1", { redactedData: "r" }),
      end("1"),
      start("2"),
      delta("2", "So."),
      delta("2", "", { signature: "s2" }),
      end("2"),
    );
    expect(back).toEqual([
      reasoning("Well.", { signature: "s1" }),
      reasoning("", { redactedData: "r" }),
      reasoning("So.", { signature: "s2" }),
    ]);
  });

  test("also where the provider shows no text of it: it rides on the first call", async () => {
    const silent = [
      start("0"),
      delta("0", "", { signature: "s1" }),
      end("0"),
      call("a", { google: { thoughtSignature: "t" } }),
      call("b"),
    ];
    const [first, second] = (await joined(silent)).filter(({ type }) => type === "tool-call");
    expect(second).not.toHaveProperty("providerMetadata");
    const back = splitReasoning([
      { role: "assistant", content: [{ type: "text", text: "I look." }, asPromptPart(first)] },
    ]);
    expect(back[0]?.content).toEqual([
      reasoning("", { signature: "s1" }),
      { type: "text", text: "I look." },
      expect.objectContaining({ providerOptions: { google: { thoughtSignature: "t" } } }),
    ]);
  });

  test("as plain text when it was not signed", async () => {
    const back = await roundTrip(start("0"), delta("0", "Well."), end("0"), start("1"), end("1"));
    expect(back).toEqual([{ type: "reasoning", text: "Well." }]);
  });
});
