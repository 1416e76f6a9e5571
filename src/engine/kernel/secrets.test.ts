import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createSecretBox } from "./secrets.ts";

const box = createSecretBox(randomBytes(32));

test("a sealed secret opens to the same text and does not contain it", () => {
  const sealed = box.seal("sk-very-secret");
  expect(sealed).not.toContain("very");
  expect(box.open(sealed)).toBe("sk-very-secret");
});

test("the same text is sealed differently each time", () => {
  expect(box.seal("a")).not.toBe(box.seal("a"));
});

test("another key or a changed text is refused, not misread", () => {
  // Three bytes are four characters of which every bit counts: none can change without a change.
  const sealed = box.seal("key");
  const last = sealed.at(-1) === "A" ? "B" : "A";
  expect(() => createSecretBox(randomBytes(32)).open(sealed)).toThrow(/cannot be opened/);
  expect(() => box.open(sealed.slice(0, -1) + last)).toThrow(/cannot be opened/);
  expect(() => box.open("plain")).toThrow(/cannot be opened/);
});
