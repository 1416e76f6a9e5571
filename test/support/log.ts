import type { Logger } from "#engine/services.ts";

/** Says nothing. */
export const quietLog: Logger = { info: () => {}, warn: () => {}, error: () => {} };
