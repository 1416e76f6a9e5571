import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { z } from "zod";
import type { Context } from "../context.ts";
import { EngineError } from "../kernel/error.ts";
import { LIMITS } from "../kernel/limits.ts";
import { defineOperation } from "../operation.ts";
import { createEmbeddingModel } from "../providers/embedding.ts";
import { describeModelError } from "../providers/errors.ts";
import { isKnownToCallTools } from "../providers/model-types.ts";
import type { ChatModel, ChatModelCall, ModelConnection } from "../providers/provider.ts";
import { readParts } from "../providers/stream-guard.ts";
import { ModelKey, type ModelRecord, requireModel } from "./model.ts";

const Connectivity = z.enum(["ok", "error"]);
const ToolCalling = z.enum(["supported", "not_detected", "skipped"]);

const VerifyResult = z.object({
  connectivity: Connectivity,
  tool_calling: ToolCalling,
  /** Until the model said the first thing; 0 when it could not be asked at all. */
  response_time_ms: z.int(),
  model_name: z.string(),
  provider: z.string(),
  error: z.string().nullable(),
});

export const verifyModel = defineOperation({
  name: "models.verify",
  summary: "Try a model: can it be reached, and does it call tools?",
  scope: "models:write",
  effect: "read",
  input: ModelKey,
  output: VerifyResult,
  run: async (ctx, { name }) => {
    const record = await requireModel(ctx.read.models, name);
    const outcome = await withinLimit((signal) => verify(ctx, record, signal));
    return { ...outcome, model_name: record.model_name, provider: record.type };
  },
});

type Outcome = Omit<z.output<typeof VerifyResult>, "model_name" | "provider">;

async function verify(ctx: Context, record: ModelRecord, signal: AbortSignal): Promise<Outcome> {
  const { type, model_name } = record;
  let connection: ModelConnection = { type, model_name };
  let began: number | undefined;
  const elapsed = () => (began === undefined ? 0 : Math.round(performance.now() - began));
  try {
    connection = ctx.services.models.connect(record, ANY_CONTEXT_SIZE);
    const probe = await openProbe(ctx, record, connection, signal);
    began = performance.now();
    await probe.ping();
    const response_time_ms = elapsed();
    const tool_calling = await probe.callTool();
    return { connectivity: "ok", tool_calling, response_time_ms, error: null };
  } catch (error) {
    const { message } = describeModelError(error, connection);
    return {
      connectivity: "error",
      tool_calling: "skipped",
      response_time_ms: elapsed(),
      error: message,
    };
  }
}

/** The local runtime keeps the window it has loaded: another one would load the model anew. */
const ANY_CONTEXT_SIZE = 0;

/** Two questions to a model's client. */
interface Probe {
  /** Throws what the provider throws. */
  ping(): Promise<void>;
  callTool(): Promise<z.output<typeof ToolCalling>>;
}

/** Throws when the client can't be built. */
async function openProbe(
  ctx: Context,
  record: ModelRecord,
  connection: ModelConnection,
  signal: AbortSignal,
): Promise<Probe> {
  if (record.kind === "embedding") {
    const model = await createEmbeddingModel(connection);
    return {
      ping: async () => void (await model.doEmbed({ values: ["ok"], abortSignal: signal })),
      callTool: async () => "skipped",
    };
  }
  const { model } = await ctx.services.models.open(record, ANY_CONTEXT_SIZE);
  return {
    async ping() {
      if (await says(model, PING, signal, isSaid)) return;
      throw new EngineError("model_error", "the model answered with nothing");
    },
    async callTool() {
      if (isKnownToCallTools(record.type)) return "skipped";
      // A model without tools may refuse the very question.
      const called = await says(model, TOOL_CALL, signal, isCall).catch(() => false);
      return called ? "supported" : "not_detected";
    },
  };
}

const userSays = (text: string): ChatModelCall["prompt"] => [
  { role: "user", content: [{ type: "text", text }] },
];

/** No limit of tokens: a model that thinks first needs them, and the first word ends the call. */
const PING: ChatModelCall = { prompt: userSays("echo ok") };

/** In the words of the demo model, which others understand as well. */
const TOOL_CALL: ChatModelCall = {
  prompt: userSays('call report_status {"status": "ok"}\nAnswer with this tool call only.'),
  tools: [
    {
      type: "function",
      name: "report_status",
      description: "Reports that tools can be called.",
      inputSchema: {
        type: "object",
        properties: { status: { type: "string" } },
        required: ["status"],
      },
    },
  ],
};

type Part = LanguageModelV4StreamPart;

const isCall = ({ type }: Part): boolean => type === "tool-call";
const isSaid = (part: Part): boolean =>
  isCall(part) || part.type === "text-delta" || part.type === "reasoning-delta";

/** Asks until the answer shows what is looked for; false when it ends without. */
async function says(
  model: ChatModel,
  call: ChatModelCall,
  signal: AbortSignal,
  shows: (part: Part) => boolean,
): Promise<boolean> {
  const enough = new AbortController();
  const guard = {
    idle_ms: LIMITS.model_verify_s * 1000,
    signal: AbortSignal.any([signal, enough.signal]),
    without_retries: true as const,
  };
  try {
    await readParts(
      (abortSignal) => model.doStream({ ...call, abortSignal }),
      guard,
      (part) => {
        if (part.type === "error") throw part.error;
        if (shows(part)) enough.abort();
      },
    );
  } catch (error) {
    if (!enough.signal.aborted) throw error;
  }
  return enough.signal.aborted;
}

async function withinLimit<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  const seconds = LIMITS.model_verify_s;
  const timer = setTimeout(
    () =>
      limit.abort(new EngineError("timeout", `the model said nothing within ${seconds} seconds`)),
    seconds * 1000,
  );
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
  }
}
