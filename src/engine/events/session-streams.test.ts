import { describe, expect, test } from "vitest";
import { createSessionStreams } from "./session-streams.ts";
import { frameId, type WireFrame } from "./wire.ts";

const delta = (
  count: number,
  content: string,
  event: "message_delta" | "thinking" = "message_delta",
) => ({ id: frameId(3, count), turn_id: "t", event, data: { content } }) satisfies WireFrame;

const told = (after_id: number, ...frames: WireFrame[]) => {
  const streams = createSessionStreams();
  for (const frame of frames) streams.send("s", frame);
  return streams
    .deltas("s", after_id)
    .map(({ id, event, data }) => [id, event, "content" in data ? data.content : ""]);
};

describe("the deltas of a running step", () => {
  test("are told at once to who comes late, reasoning apart from the answer", () => {
    expect(told(0, delta(1, "Hm", "thinking"), delta(2, "One "), delta(3, "two"))).toEqual([
      [frameId(3, 1), "thinking", "Hm"],
      [frameId(3, 3), "message_delta", "One two"],
    ]);
  });

  test("are told from behind the frame that was seen last", () => {
    const said = [delta(1, "One "), delta(2, "two "), delta(3, "three")];
    expect(told(frameId(3, 1), ...said)).toEqual([[frameId(3, 3), "message_delta", "two three"]]);
    expect(told(frameId(3, 3), ...said)).toEqual([]);
  });

  test("are forgotten once the durable event holds their text", () => {
    const message: WireFrame = {
      id: frameId(4),
      turn_id: "t",
      event: "message",
      data: { content: "One two" },
    };
    expect(told(0, delta(1, "One "), delta(2, "two"), message)).toEqual([]);
  });
});
