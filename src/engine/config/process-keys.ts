/** What `serve --config` reads of the same file (contract 0.7); to everything else it means nothing. */
export const PROCESS_KEYS: ReadonlySet<string> = new Set(
  "engine database security logging embeddings mcp updates seed byok oauth tasks rate_limits".split(
    " ",
  ),
);
