import { defineConfig } from "vitest/config";

/** Long enough for a machine with better things to do: a test that waits for ever is all it must catch. */
const TIMEOUT_MS = 30_000;

const project = (name: string, include: string[], options = {}) => ({
  test: {
    name,
    include,
    globalSetup: "./test/support/require-runtime.ts",
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    ...options,
  },
});

export default defineConfig({
  test: {
    passWithNoTests: true,
    projects: [
      project("unit", ["src/**/*.test.{ts,tsx}", "test/architecture.test.ts"]),
      project("contract", ["test/contract/**/*.test.ts"]),
      project("store", ["test/store/**/*.test.ts"]),
      project("faults", ["test/faults/**/*.test.ts"], {
        testTimeout: 60_000,
        maxConcurrency: 2,
      }),
      project("e2e", ["test/e2e/**/*.test.ts"], {
        testTimeout: 60_000,
        hookTimeout: 60_000,
        fileParallelism: false,
      }),
    ],
  },
});
