import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";

/** Parts that are made one after another as a stream that is read as fast as its reader likes. */
export const partStream = (
  parts: AsyncGenerator<LanguageModelV4StreamPart>,
): ReadableStream<LanguageModelV4StreamPart> =>
  new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
