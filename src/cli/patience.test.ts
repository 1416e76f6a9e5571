import { afterEach, expect, test, vi } from "vitest";
import { badRequest, EngineError } from "#engine/kernel/error.ts";
import { patient } from "./patience.ts";

afterEach(() => void vi.restoreAllMocks());

test("a server that is away for a while is told of once and waited for", async () => {
  const told = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const answers = [new EngineError("unavailable", "cannot reach it"), "here"];
  answers.unshift(new EngineError("rate_limited", "too often"));
  const look = patient(async () => {
    const answer = answers.shift();
    if (answer instanceof EngineError) throw answer;
    return answer;
  });
  expect([await look(), await look(), await look()]).toEqual([undefined, undefined, "here"]);
  expect(told.mock.calls.flat()).toEqual(["too often; trying again\n"]);
});

test("what does not pass is thrown at once, and what lasts too long in the end", async () => {
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const refused = patient(() => Promise.reject(badRequest("no")));
  await expect(refused()).rejects.toThrow("no");
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  const away = patient(() => Promise.reject(new EngineError("unavailable", "away")));
  expect(await away()).toBeUndefined();
  clock.mockReturnValue(60_001);
  await expect(away()).rejects.toThrow("away");
});
