import { Agent, request } from "node:http";

/** How a system is asked for one turn. */
export interface Target {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  /** The bytes that come only with a turn's first token, and only with its end. */
  readonly first: string;
  readonly last: string;
}

export interface Turn {
  readonly first_ms: number;
  readonly whole_ms: number;
}

/** One turn, read to its end; nothing is parsed, so that the load costs little itself. */
function turn(target: Target, agent: Agent): Promise<Turn> {
  const started = performance.now();
  return new Promise((done, failed) => {
    const asked = request(
      target.url,
      { method: "POST", agent, headers: headersOf(target) },
      (answer) => {
        let tail = "";
        let first_ms = 0;
        answer.setEncoding("latin1");
        answer.on("data", (chunk: string) => {
          tail += chunk;
          if (first_ms === 0 && tail.includes(target.first)) first_ms = performance.now() - started;
          if (first_ms !== 0 && tail.length > 4096) tail = tail.slice(-1024);
        });
        answer.on("end", () => {
          if (answer.statusCode !== 200 || !tail.includes(target.last)) {
            failed(new Error(`${answer.statusCode} ${tail.slice(-300)}`));
          } else done({ first_ms, whole_ms: performance.now() - started });
        });
        answer.on("error", failed);
      },
    );
    asked.on("error", failed);
    asked.end(target.body);
  });
}

/** Opens a turn that stays open; returns how to let go of it. */
export function open(target: Target): Promise<() => void> {
  return new Promise((opened, failed) => {
    const asked = request(
      target.url,
      { method: "POST", agent: false, headers: headersOf(target) },
      (answer) => {
        answer.setEncoding("latin1");
        answer.on("error", () => undefined);
        answer.on("data", (chunk: string) => {
          if (chunk.includes(target.first)) opened(() => answer.destroy());
        });
      },
    );
    asked.on("error", failed);
    asked.end(target.body);
  });
}

const headersOf = ({ headers, body }: Target) => ({
  ...headers,
  "Content-Type": "application/json",
  "Content-Length": Buffer.byteLength(body),
});

/** `streams` at a time until `turns` are done. */
export async function run(target: Target, streams: number, turns: number): Promise<Turn[]> {
  const results: Turn[] = [];
  // Connections of its own: one that was idle while another system had its turn may be closed.
  const agent = new Agent({ keepAlive: true });
  let left = turns;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      results.push(await turn(target, agent));
    }
  };
  await Promise.all(Array.from({ length: Math.min(streams, turns) }, worker));
  agent.destroy();
  return results;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);
