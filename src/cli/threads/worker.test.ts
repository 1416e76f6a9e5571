import { expect, onTestFinished, test } from "vitest";
import { EngineError } from "#engine/kernel/error.ts";
import { type BackgroundWorker, startWorker } from "./worker.ts";

const ON_MESSAGE = 'import { parentPort } from "node:worker_threads"; parentPort.on("message", ';

function started(reaction: string): BackgroundWorker {
  const worker = startWorker({ program: `${ON_MESSAGE}${reaction});` });
  onTestFinished(() => worker.close());
  return worker;
}

test("a worker answers each asker with what it asked for", async () => {
  const worker = started("({ id, input }) => parentPort.postMessage({ id, output: input * 2 })");
  expect(await Promise.all([worker.run("double", 1), worker.run("double", 2)])).toEqual([2, 4]);
});

test("a task that throws tells why", async () => {
  const worker = started('({ id }) => parentPort.postMessage({ id, error: "no such luck" })');
  await expect(worker.run("try", 1)).rejects.toThrow("no such luck");
});

test("an error that its asker is to be told keeps its code", async () => {
  const told = '{ id, error: "the query took too long", code: "timeout" }';
  const worker = started(`({ id }) => parentPort.postMessage(${told})`);
  const error = await worker.run("try", 1).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(EngineError);
  expect(error).toMatchObject({ code: "timeout", message: "the query took too long" });
});

test.each([
  ["throws", '() => { throw new Error("broken") }', "broken"],
  ["ends", "() => process.exit(3)", "the worker ended with 3"],
])("a worker that %s leaves nobody waiting, also who asks later", async (_how, reaction, told) => {
  const worker = started(reaction);
  const both = await Promise.allSettled([worker.run("any", 1), worker.run("any", 2)]);
  for (const each of both)
    expect(each).toMatchObject({ status: "rejected", reason: { message: told } });
  await expect(worker.run("any", 3)).rejects.toThrow(told);
});

test("what can't be sent is refused, and the worker goes on", async () => {
  const worker = started("({ id, input }) => parentPort.postMessage({ id, output: input })");
  await expect(worker.run("any", () => undefined)).rejects.toThrow("could not be cloned");
  expect(await worker.run("any", 1)).toBe(1);
});

test("a worker that is closed leaves nobody waiting", async () => {
  const worker = started("() => undefined");
  const asked = expect(worker.run("any", 1)).rejects.toThrow("the worker ended");
  await worker.close();
  await asked;
  await expect(worker.run("any", 2)).rejects.toThrow("the worker ended");
});
