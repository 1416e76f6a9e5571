import { createParser } from "eventsource-parser";

export interface Frame {
  readonly id: string | undefined;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  readonly data: any;
}

/** The frames of a finished stream, comments left out. */
export function parseFrames(text: string): Frame[] {
  const frames: Frame[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      frames.push({ id, event: event ?? "message", data: JSON.parse(data) });
    },
  });
  parser.feed(text);
  return frames;
}

export const eventNames = (frames: readonly Frame[]): string[] => frames.map(({ event }) => event);

/** What a client shows that only follows the deltas. */
export const deltaText = (frames: readonly Frame[]): string =>
  frames
    .filter(({ event }) => event === "message_delta")
    .map(({ data }) => data.content)
    .join("");
