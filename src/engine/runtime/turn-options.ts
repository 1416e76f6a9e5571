import type { OverridingModel } from "./byok.ts";

/** What a request brings along for its turn alone: it lives in memory and is never written down. */
export interface TurnOptions {
  /** For MCP servers that ask for them by name (decision 12). */
  readonly headers: Readonly<Record<string, string>>;
  /** The caller's own model and key (BYOK). */
  readonly model?: OverridingModel | undefined;
}

export const NO_OPTIONS: TurnOptions = { headers: {} };
