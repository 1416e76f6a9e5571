import { expect, test } from "vitest";
import { formatUptime } from "./operations.ts";

test.each([
  [0, "0s"],
  [59_999, "59s"],
  [60_000, "1m0s"],
  [3_723_000, "1h2m3s"],
  [3_600_000, "1h0m0s"],
  [-5, "0s"],
])("an uptime of %d ms reads %s", (milliseconds, text) => {
  expect(formatUptime(milliseconds)).toBe(text);
});
