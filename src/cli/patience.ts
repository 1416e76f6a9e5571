import { EngineError } from "#engine/kernel/error.ts";
import { note } from "./output.ts";

/** A server that is restarted is given so long to come back. */
const PATIENCE_MS = 60_000;

/**
 * The same work, but undefined when a server could not be reached or asks for a pause; throws when that
 * lasts too long, and whatever else went wrong at once.
 */
export function patient<Result>(work: () => Promise<Result>): () => Promise<Result | undefined> {
  let failing_since_ms: number | undefined;
  return async () => {
    try {
      const result = await work();
      failing_since_ms = undefined;
      return result;
    } catch (error) {
      if (!(error instanceof EngineError) || !mayPass(error)) throw error;
      if (failing_since_ms === undefined) note(`${error.message}; trying again`);
      failing_since_ms ??= performance.now();
      if (performance.now() - failing_since_ms > PATIENCE_MS) throw error;
      return undefined;
    }
  };
}

const mayPass = ({ code }: EngineError): boolean =>
  code === "unavailable" || code === "rate_limited";
