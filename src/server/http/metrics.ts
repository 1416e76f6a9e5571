import type { MiddlewareHandler } from "hono";
import type { Metric, Registry } from "prom-client";
import type { Engine } from "#engine/engine.ts";
import type { OpenStreams } from "./open-streams.ts";
import { createRequestSeries, type RequestSeries, type Sample } from "./request-series.ts";
import type { RequestState } from "./route.ts";

const UNKNOWN_PATH = "unknown";

export interface Metrics {
  /** Counts and times every request; a stream's time is the one to its head. */
  readonly observe: MiddlewareHandler<RequestState>;
  /** In the text format of Prometheus. */
  render(): Promise<{ readonly text: string; readonly content_type: string }>;
}

/**
 * Requests are counted from the start, in numbers of our own. The library that writes the text is
 * loaded when somebody first asks, since it would delay every start.
 */
export function createMetrics(engine: Engine, open_streams: OpenStreams): Metrics {
  const series = createRequestSeries();
  let registry: Promise<Registry> | undefined;

  return {
    async observe(http, next) {
      const started = performance.now();
      await next();
      const path = http.get("route") ?? UNKNOWN_PATH;
      const seconds = (performance.now() - started) / 1000;
      series.add(http.req.method, path, http.res.status, seconds);
    },
    async render() {
      registry ??= createRegistry(engine, series, open_streams);
      const { contentType } = await registry;
      return { text: await (await registry).metrics(), content_type: contentType };
    },
  };
}

async function createRegistry(
  engine: Engine,
  series: RequestSeries,
  open_streams: OpenStreams,
): Promise<Registry> {
  // Bundled, it has its default alone.
  const { default: prometheus } = await import("prom-client");
  const { Registry, collectDefaultMetrics } = prometheus;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const add = (type: MetricType, name: string, help: string, read: Read): void => {
    const get = async () => ({ name, help, type, values: await read(name), aggregator: "sum" });
    // All that a registry asks of a metric; the library's own kinds hold numbers of their own.
    registry.registerMetric({ name, help, type, get } as unknown as Metric);
  };
  const one = (value: number): Sample[] => [{ labels: {}, value }];

  add("counter", "http_requests_total", "Requests answered", series.counts);
  add(
    "histogram",
    "http_request_duration_seconds",
    "Time until an answer, or the head of a stream",
    series.durations,
  );
  add("gauge", "troupe_turns_running", "Turns this process works on", () =>
    one(engine.load().running_turns),
  );
  add("gauge", "troupe_turns_waiting", "Accepted turns that wait for those before them", () =>
    one(engine.load().waiting_turns),
  );
  add("gauge", "troupe_streams_open", "Event streams being sent", () => one(open_streams.count()));
  add("counter", "troupe_tokens_total", "Tokens used since the installation began", async () =>
    Object.entries(await engine.usedTokens()).map(([kind, value]) => ({ labels: { kind }, value })),
  );
  return registry;
}

type MetricType = "counter" | "gauge" | "histogram";
type Read = (name: string) => Sample[] | Promise<Sample[]>;
