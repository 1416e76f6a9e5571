import type { MiddlewareHandler } from "hono";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Engine } from "#engine/engine.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { RequestState } from "./route.ts";

const DURATIONS_S = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Anything else is one label value: what strangers send must not make series. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const OTHER_METHOD = "OTHER";
const UNKNOWN_PATH = "unknown";

export interface Metrics {
  /** Counts and times every request; a stream's time is the one to its head. */
  readonly observe: MiddlewareHandler<RequestState>;
  /** In the text format of Prometheus. */
  render(): Promise<string>;
  readonly content_type: string;
}

type Series = (seconds: number) => void;

export function createMetrics(engine: Engine, open_streams: OpenStreams): Metrics {
  const registry = new Registry();
  const record = recorder(registry);
  const refresh = addGauges(registry, engine, open_streams);
  let has_defaults = false;

  return {
    async observe(http, next) {
      const started = performance.now();
      await next();
      const path = http.get("route") ?? UNKNOWN_PATH;
      record(http.req.method, path, http.res.status)((performance.now() - started) / 1000);
    },
    async render() {
      // They watch the event loop and the garbage collector: nobody pays for it who never asks.
      if (!has_defaults) collectDefaultMetrics({ register: registry });
      has_defaults = true;
      await refresh();
      return registry.metrics();
    },
    content_type: registry.contentType,
  };
}

/** Finds a route's series by a text, which is cheaper than sorting and hashing its labels each time. */
function recorder(registry: Registry): (method: string, path: string, status: number) => Series {
  const requests = new Counter({
    name: "http_requests_total",
    help: "Requests answered",
    labelNames: ["method", "path", "status"],
    registers: [registry],
  });
  const durations = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time until an answer, or the head of a stream",
    labelNames: ["method", "path"],
    buckets: DURATIONS_S,
    registers: [registry],
  });
  const known = new Map<string, Series>();
  return (given, path, status) => {
    const method = METHODS.has(given) ? given : OTHER_METHOD;
    const key = `${method} ${status} ${path}`;
    const series = known.get(key);
    if (series) return series;
    const counter = requests.labels(method, path, String(status));
    const histogram = durations.labels(method, path);
    const added: Series = (seconds) => {
      counter.inc();
      histogram.observe(seconds);
    };
    known.set(key, added);
    return added;
  };
}

/** Read when somebody looks, so that turns and tokens cost nothing while they run. */
function addGauges(
  registry: Registry,
  engine: Engine,
  open_streams: OpenStreams,
): () => Promise<void> {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const running = gauge("troupe_turns_running", "Turns this process works on");
  const waiting = gauge("troupe_turns_waiting", "Accepted turns that wait for those before them");
  const streams = gauge("troupe_streams_open", "Event streams being sent");
  const tokens = new Counter({
    name: "troupe_tokens_total",
    help: "Tokens used since the installation began",
    labelNames: ["kind"],
    registers,
  });
  return async () => {
    const gauges = await engine.gauges();
    running.set(gauges.running_turns);
    waiting.set(gauges.waiting_turns);
    streams.set(open_streams.count());
    tokens.reset();
    if (!gauges.tokens) return;
    tokens.inc({ kind: "prompt" }, gauges.tokens.prompt);
    tokens.inc({ kind: "completion" }, gauges.tokens.completion);
  };
}
