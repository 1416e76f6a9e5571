import { activeAsk } from "./asks.ts";
import type { ChatState } from "./chat-model.ts";
import type { LiveView } from "./live-view.ts";
import { sanitizeLine } from "./sanitize.ts";
import { type Line, type Span, span } from "./styled-line.ts";
import { durationText } from "./tool-layout.ts";

const DIM = { dim: true } as const;
const SHORT_ID = 8;

/** What is going on, then where: the first words survive a narrow terminal. */
export function statusLine(view: LiveView): Line {
  const { hint, state, scene } = view;
  if (hint) return [span(hint, { colour: "yellow" })];
  const session = state.session_id
    ? `session ${sanitizeLine(state.session_id).slice(0, SHORT_ID)}`
    : "new session";
  const facts = [sanitizeLine(scene.target.schema), session, ...usageFacts(state)];
  return [...activitySpans(view), span(facts.join(" · "), DIM)];
}

function activitySpans({ state, spinner, now, is_asked }: LiveView): Span[] {
  const elapsed = durationText(now - state.turn.started_at);
  if (state.activity === "stopping") return [span(`${spinner} stopping  `, { colour: "yellow" })];
  const open = activeAsk(state);
  if (open) {
    const where = open.kind === "approval" ? "waits for your approval" : "paused";
    const stop = !is_asked && state.activity === "busy" ? " · esc to stop" : "";
    return [span(where, { colour: "yellow" }), span(`${stop}  `, DIM)];
  }
  if (state.activity === "busy") {
    return [span(`${spinner} ${elapsed}`, { colour: "green" }), span(" · esc to stop  ", DIM)];
  }
  if (state.turn.outcome === "lost") return [span("connection lost  ", { colour: "red" })];
  return [];
}

function usageFacts({ usage }: ChatState): string[] {
  const { total_tokens, context_tokens } = usage;
  return [
    ...(total_tokens > 0 ? [`${shortCount(total_tokens)} tokens`] : []),
    ...(context_tokens ? [`context ${shortCount(context_tokens)}`] : []),
  ];
}

/** 830, 1.2k, 3.4M. */
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  const [divisor, unit] = count < 1_000_000 ? [1000, "k"] : [1_000_000, "M"];
  const short = count / divisor;
  return `${short < 10 ? short.toFixed(1) : Math.round(short)}${unit}`;
}
