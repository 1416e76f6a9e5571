import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asked, called, noted, result, resumed, said, step } from "../../../test/support/facts.ts";
import type { Context } from "../context.ts";
import type { Event, Fact } from "../events/event.ts";
import { type Conversation, foldConversation, takeIn, toPast } from "./conversation.ts";
import { createPasts, type Past } from "./past.ts";

const AGENT = "agent";

const trimmed = (dropped: number): Fact => ({
  type: "context_trimmed",
  payload: { content: "cut", dropped, digest: `digest ${dropped}`, shortened: ["c1"] },
});

const fact = fc.constantFrom<Fact>(
  said("Hello."),
  noted("careful"),
  called("c1"),
  called("c2"),
  result("c1", { content: "page ".repeat(300) }),
  resumed("i1", "c2", { colour: "red" }),
  step({ usage: { prompt_tokens: 40 }, prompt_characters: 90 }),
  step({ finish_reason: "cut" }),
  trimmed(1),
  trimmed(3),
);
/** A turn after its message: what its agent did, and what a sub-agent did meanwhile. */
const turn = fc.array(fc.record({ fact, is_spawned: fc.boolean() }), { maxLength: 12 });

const eventsOf = (turns: readonly { fact: Fact; is_spawned: boolean }[][]): Event[] =>
  turns
    .flatMap((facts, number) =>
      [{ fact: asked("And now?"), is_spawned: false }, ...facts].map((one) => ({ ...one, number })),
    )
    .map(({ fact, is_spawned, number }, index) => ({
      ...fact,
      session_id: "s",
      seq: index + 1,
      id: `event ${index + 1}`,
      turn_id: `turn ${number}`,
      ...(is_spawned && { run_id: "child" }),
      agent_id: AGENT,
      created_at: "2026-03-01T12:00:00.000Z",
    }));

/** What the model is told of a conversation. */
const told = ({ root }: Conversation) => {
  const { transcript, digest, context_tokens, characters_per_token } = root;
  return { transcript, digest, context_tokens, characters_per_token };
};

/** As turns do it one after the other: each begins with its message, and takes in the rest. */
function live(events: readonly Event[]): Past | undefined {
  let past: Past | undefined;
  for (const turn_id of new Set(events.map((event) => event.turn_id))) {
    const [message, ...rest] = events.filter((event) => event.turn_id === turn_id);
    if (!message) continue;
    const conversation = foldConversation([message], { turn_id, agent_id: AGENT }, past);
    for (const event of rest) {
      if (event.run_id === undefined) takeIn(conversation, conversation.root, event, 0);
    }
    past = toPast(conversation, rest.at(-1) ?? message);
  }
  return past;
}

describe("a turn that goes on from a session's past", () => {
  test("is told what the whole log tells", () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 2, maxLength: 5 }), (turns) => {
        const events = eventsOf(turns);
        const before = eventsOf(turns.slice(0, -1));
        const place = { turn_id: `turn ${turns.length - 1}`, agent_id: AGENT };
        const rest = events.slice(before.length);
        expect(told(foldConversation(rest, place, live(before)))).toEqual(
          told(foldConversation(events, place)),
        );
      }),
    );
  });

  test("is not told what still comes of the one before", () => {
    const [message] = eventsOf([[]]) as [Event];
    const place = { turn_id: "turn 0", agent_id: AGENT };
    const conversation = foldConversation([message], place);
    const past = toPast(conversation, message);
    takeIn(conversation, conversation.root, said("too late"), 0);
    expect(past.remembered.transcript).toEqual([message]);
  });
});

describe("the pasts of sessions", () => {
  const log = eventsOf([[{ fact: said("Hello."), is_spawned: false }], []]);
  const [, , message] = log as [Event, Event, Event];
  const place = { session_id: "s", turn_id: "turn 1" };

  /** A store of this log, which notes from where on it was read. */
  const contextOf = (events: readonly Event[]) => {
    const reads: number[] = [];
    const list = async (_id: string, after_seq = 0) => {
      reads.push(after_seq);
      return events.filter(({ seq }) => seq > after_seq);
    };
    return { ctx: { read: { events: { list } } } as unknown as Context, reads };
  };
  const pastAt = (event: Event): Past =>
    toPast(foldConversation([event], { turn_id: "turn 0", agent_id: AGENT }), event);

  test("save the next turn from reading what it has", async () => {
    const { ctx, reads } = contextOf(log);
    const pasts = createPasts({ events_min: 1 });
    const past = pastAt(log[1] as Event);
    pasts.keep("s", past);
    expect(await pasts.read(ctx, place, [message])).toEqual({ past, events: [message] });
    expect(reads).toEqual([1]);
    // It is that turn's now.
    expect(await pasts.read(ctx, place, [message])).toEqual({ events: log });
  });

  test("are not believed when the log is another one", async () => {
    const { ctx } = contextOf(log);
    const pasts = createPasts({ events_min: 1 });
    pasts.keep("s", pastAt({ ...(log[1] as Event), id: "of a session deleted since" }));
    expect(await pasts.read(ctx, place, [message])).toEqual({ events: log });
    pasts.keep("s", pastAt({ ...(log[1] as Event), seq: 9 }));
    expect(await pasts.read(ctx, place, [message])).toEqual({ events: log });
  });

  test("are for turns that begin, not for those that go on", async () => {
    const { ctx } = contextOf(log);
    const pasts = createPasts({ events_min: 1 });
    pasts.keep("s", pastAt(log[1] as Event));
    expect(await pasts.read(ctx, place, [])).toEqual({ events: log });
  });

  test("are not kept of a session that is short", async () => {
    const { ctx } = contextOf(log);
    const pasts = createPasts({ events_min: 3 });
    pasts.keep("s", pastAt(log[1] as Event));
    expect(await pasts.read(ctx, place, [message])).toEqual({ events: log });
  });

  test("leave when they are too much, the least used first", async () => {
    const { ctx, reads } = contextOf(log);
    const past = pastAt(log[1] as Event);
    const pasts = createPasts({ events_min: 1, characters_max: 50 });
    for (const id of ["a", "b", "a", "c"]) pasts.keep(id, past);
    for (const session_id of ["a", "b", "c"]) {
      await pasts.read(ctx, { ...place, session_id }, [message]);
    }
    expect(reads).toEqual([1, 0, 1]);
  });
});
