import type { Context } from "../context.ts";
import type { Event, EventPlace } from "../events/event.ts";
import type { CitationRegister } from "../knowledge/citation.ts";
import { charactersOf } from "./context-window.ts";
import type { Remembered } from "./run.ts";

/** What a session's log comes to up to an event, for its next turn, which need not fold it again. */
export interface Past {
  readonly last: EventPlace;
  readonly remembered: Remembered;
  readonly call_ids: Set<string>;
  readonly citations: CitationRegister;
}

/** Of sessions that had a turn in this process. Kept in memory alone: the log has it all. */
export interface Pasts {
  keep(session_id: string, past: Past): void;
  drop(session_id: string): void;
  /** What a turn folds that begins or goes on with `added`. A past is then that turn's alone. */
  read(ctx: Context, turn: TurnPlace, added: readonly Event[]): Promise<SessionLog>;
}

interface TurnPlace {
  readonly session_id: string;
  readonly turn_id: string;
}

export interface SessionLog {
  readonly past?: Past | undefined;
  /** Those behind the past; all of them without one. */
  readonly events: readonly Event[];
}

/** Kept in all, in characters of transcripts, digests included. */
const CHARACTERS_MAX = 32 * 1024 * 1024;
/** A shorter log is folded in no time; kept for every visitor, pasts would fill the memory for nothing. */
const EVENTS_MIN = 100;

export function createPasts({
  characters_max = CHARACTERS_MAX,
  events_min = EVENTS_MIN,
} = {}): Pasts {
  /** Those that were used last come last. */
  const pasts = new Map<string, { readonly past: Past; readonly characters: number }>();
  let characters = 0;

  const take = (session_id: string): Past | undefined => {
    const known = pasts.get(session_id);
    pasts.delete(session_id);
    characters -= known?.characters ?? 0;
    return known?.past;
  };

  return {
    keep(session_id, past) {
      take(session_id);
      if (past.last.seq < events_min) return;
      const kept = { past, characters: charactersOf(past.remembered) };
      pasts.set(session_id, kept);
      characters += kept.characters;
      for (const oldest of pasts.keys()) {
        if (characters <= characters_max) break;
        take(oldest);
      }
    },
    drop: (session_id) => void take(session_id),
    async read({ read }, { session_id, turn_id }, added) {
      // A new session's log is what was just written.
      if (added[0]?.seq === 1) return { events: added };
      const past = take(session_id);
      // A turn that goes on has facts of its own before this, which a past does not tell apart.
      if (past && added.some((event) => begins(event, turn_id))) {
        const [last, ...events] = await read.events.list(session_id, past.last.seq - 1);
        // Else the session was deleted since, and begun again under the same id.
        if (last?.id === past.last.id) return { past, events };
      }
      return { events: await read.events.list(session_id) };
    },
  };
}

const begins = (event: Event, turn_id: string): boolean =>
  event.type === "user_message" && event.turn_id === turn_id;
