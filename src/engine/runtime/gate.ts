import type { AgentRecord } from "../agents/agent.ts";
import type { Context } from "../context.ts";
import type { GateAnswer } from "../events/event.ts";
import { shorten } from "../events/log.ts";
import { CONFIRMATION_TIMEOUT, confirmationTimeout } from "../settings/setting.ts";
import type { Tool } from "../tools/tool.ts";
import { foldedName } from "../tools/tool-name.ts";
import { abandonable, TIMED_OUT } from "./abandonable.ts";
import type { PendingCall, Run } from "./run.ts";
import type { Turn } from "./turn.ts";

/** A person can't judge more arguments than this; the whole ones are in the tool call's event. */
const SHOWN_LENGTH = 4_000;

/**
 * Lets a call through, or tells why not. A gated call waits for a person; the wait outlives the client's
 * connection and this process, and an answer holds for exactly the recorded arguments (decision 10).
 */
export async function passGate(
  ctx: Context,
  turn: Turn,
  run: Run,
  agent: AgentRecord,
  tool: Tool,
  call: PendingCall,
  input: unknown,
): Promise<string | undefined> {
  // A question once asked is answered, also when the agent is changed meanwhile.
  if (!call.gate && !needsApproval(agent, tool, input)) return undefined;
  if (turn.job.payload.is_unattended) return NOBODY;
  // Before the question: what the person is asked about is the tool as it is now.
  const digest = call.gate ? call.gate.digest : tool.digest?.();
  const expires_at = call.gate?.expires_at ?? (await ask(ctx, turn, run, agent, call, digest));
  const answer = call.gate?.answer ?? (await answered(ctx, turn, run, call, expires_at));
  if (answer.is_approved) return digest === tool.digest?.() ? undefined : CHANGED;
  const reason = answer.reason ? `: ${answer.reason}` : "";
  return `cancelled: the person rejected this call${reason}`;
}

const NOBODY =
  "cancelled: this call needs a person's approval, and nobody can be asked while the answer is collected in a new session";

const CHANGED =
  "cancelled: the tool is another now than the one that was approved; call it again to have it approved anew";

/** By what a call really does: a tool can have several names, and some are but another way to one. */
function needsApproval({ confirm_before }: AgentRecord, tool: Tool, input: unknown): boolean {
  if (tool.needs_approval) return true;
  const names = [tool.name, ...(tool.actsAs?.(input) ?? []), ...(tool.also_known_as ?? [])];
  const gated = new Set(confirm_before.map(foldedName));
  return names.some((name) => gated.has(foldedName(name)));
}

async function ask(
  ctx: Context,
  turn: Turn,
  run: Run,
  agent: AgentRecord,
  { call_id, tool, input }: PendingCall,
  digest: string | undefined,
): Promise<string> {
  const seconds = confirmationTimeout(await ctx.read.settings.get(CONFIRMATION_TIMEOUT));
  const expires_at = new Date(ctx.now().getTime() + seconds * 1000).toISOString();
  const content = `Agent "${agent.name}" wants to call ${tool} with ${shorten(input, SHOWN_LENGTH)}`;
  turn.record(run, {
    type: "confirmation_request",
    call_id,
    payload: { tool, content, expires_at, digest },
  });
  await turn.commit();
  return expires_at;
}

async function answered(
  ctx: Context,
  turn: Turn,
  run: Run,
  { call_id }: PendingCall,
  expires_at: string,
): Promise<GateAnswer> {
  const release = turn.deadline.hold();
  const left_ms = Math.max(0, Date.parse(expires_at) - ctx.now().getTime());
  try {
    await abandonable(turn.signal, Math.min(left_ms, TIMER_MAX_MS), () =>
      turn.gateAnswered(call_id),
    );
  } catch (error) {
    if (error !== TIMED_OUT) throw error;
  } finally {
    release();
  }
  // Whoever answers in this moment finds the gate closed.
  await turn.answerGate(call_id, UNANSWERED);
  return run.pending.get(call_id)?.gate?.answer ?? UNANSWERED;
}

const UNANSWERED: GateAnswer = { is_approved: false, reason: "nobody answered in time" };

/** The longest that timers can count. */
const TIMER_MAX_MS = 2_147_483_647;
