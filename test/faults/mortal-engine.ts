import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { generateKeyPair } from "jose";
import { z } from "zod";
import { ALGORITHM, createVerifier } from "#engine/auth/jwt.ts";
import { createEngine, type Engine } from "#engine/engine.ts";
import { createSecretBox } from "#engine/kernel/secrets.ts";
import type { Store } from "#engine/store.ts";
import { builtInTools } from "#engine/tools/built-in.ts";
import { defineTool } from "#engine/tools/tool.ts";
import { openSqliteStore } from "#store/sqlite/store.ts";
import { quietLog } from "../support/log.ts";
import { native } from "../support/native.ts";
import { scriptedReplies } from "./scripted-reply.ts";

export interface MortalEngine {
  readonly engine: Engine;
  readonly store: Store;
  /** From here on the commits count. */
  begin(): void;
  /** What the tool `append_line` has done, in every process. */
  effects(): string[];
}

/** An engine on a folder, in a process that kills itself at the place it was given. */
export async function openMortalEngine([
  folder = "",
  where,
  number,
]: readonly string[]): Promise<MortalEngine> {
  const file = join(folder, "effects.txt");
  /** Counts what it is told to count, and dies at the number it was given. */
  const dieAt = (place: string): (() => void) => {
    let passed = 0;
    return () => {
      passed += 1;
      if (place === where && passed === Number(number)) process.kill(process.pid, "SIGKILL");
    };
  };
  const store = openSqliteStore({ file: join(folder, "troupe.db"), native });
  const before = dieAt("before");
  const after = dieAt("after");
  let is_playing = false;

  /** The kill comes just before a transaction commits, or just after it did. */
  const mortal: Store = {
    ...store,
    async write(work) {
      const result = await store.write(async (tx) => {
        const done = await work(tx);
        if (is_playing) before();
        return done;
      });
      if (is_playing) after();
      return result;
    },
  };
  const { publicKey } = await generateKeyPair(ALGORITHM, { crv: "Ed25519" });
  const engine = createEngine({
    store: mortal,
    version: "0.0.0-test",
    secrets: createSecretBox(new Uint8Array(32)),
    verifier: createVerifier(publicKey, undefined),
    issuer: undefined,
    tools: [...builtInTools, appendLine(file, dieAt("tool"))],
    log: quietLog,
    owner: "server",
    createChatModel: scriptedReplies,
  });
  return {
    engine,
    store,
    begin: () => {
      is_playing = true;
    },
    effects: () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []),
  };
}

/** Has an effect that nothing undoes, and is not safe to repeat. */
const appendLine = (file: string, inTool: () => void) =>
  defineTool({
    name: "append_line",
    description: "Appends a line to a file.",
    security_zone: "caution",
    retry: "never",
    input: z.object({ line: z.string() }),
    async execute({ line }) {
      appendFileSync(file, `${line}\n`);
      inTool();
      return { content: "appended" };
    },
  });
