/**
 * A turn of two steps, made by hand after the provider's documentation: it may think, says
 * "Let me look." and asks for the time in Helsinki; then it answers "It is noon – 正午.".
 */
export interface Transcript {
  readonly type: string;
  /** Below the server's origin. */
  readonly base_path: string;
  readonly model_name: string;
  readonly fields?: Record<string, unknown>;
  readonly steps: readonly [string, string];
  readonly expected: {
    readonly path: string;
    readonly headers: Record<string, string>;
    readonly first: Record<string, unknown>;
    /** Brings back what the first request was answered with. */
    readonly second: Record<string, unknown>;
    readonly reasoning?: string;
    /** Of the first step. */
    readonly usage: Record<string, number>;
  };
}

export const KEY = "sk-test-0123456789";

export const QUESTION = "What time is it?";

/** What the tool says at the test's time. */
export const RESULT =
  "Sunday, 1 March 2026 at 14:00:00 EET (Europe/Helsinki); UTC: 2026-03-01T12:00:00.000Z";
