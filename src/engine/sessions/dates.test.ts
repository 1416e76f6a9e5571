import { describe, expect, test } from "vitest";
import { boundary } from "./dates.ts";

describe("a date boundary", () => {
  test.each([
    ["from", "2026-01-31", "2026-01-31T00:00:00.000Z"],
    ["to", "2026-01-31", "2026-01-31T23:59:59.999Z"],
    ["from", "2026-01-31T10:00:00+02:00", "2026-01-31T08:00:00.000Z"],
    ["to", "2026-01-31T08:00:00Z", "2026-01-31T08:00:00.999Z"],
    ["to", "2026-01-31T08:00:00.500Z", "2026-01-31T08:00:00.500Z"],
  ] as const)("%s %s is %s", (field, text, expected) => {
    expect(boundary(field, text)).toBe(expected);
  });

  test.each(["yesterday", "2026-13-01", "2026-02-30", "2026-01-31T25:00:00Z", "12"])(
    "%s is refused with the field's name",
    (text) => {
      expect(() => boundary("from", text)).toThrow(/from:/);
    },
  );
});
