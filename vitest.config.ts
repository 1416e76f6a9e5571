import { defineConfig } from "vitest/config";

const project = (name: string, include: string[], options = {}) => ({
  test: { name, include, globalSetup: "./test/support/require-runtime.ts", ...options },
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
