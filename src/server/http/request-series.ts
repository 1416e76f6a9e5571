/** The upper bounds of a histogram's buckets. */
const BOUNDS_S = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Anything else is one label value: what strangers send must not make series. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const OTHER_METHOD = "OTHER";

/** One number of the text that monitoring reads. */
export interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

interface Requests {
  readonly labels: { readonly method: string; readonly path: string; readonly status: number };
  readonly durations: Durations;
  count: number;
}

interface Durations {
  readonly labels: { readonly method: string; readonly path: string };
  /** How many fell between each bound and the one before; the last is for all above. */
  readonly buckets: number[];
  sum: number;
}

/** What requests did, by method, path and status: adding to it is a look-up and some sums. */
export interface RequestSeries {
  add(method: string, path: string, status: number, seconds: number): void;
  counts(): Sample[];
  /** As a histogram of this name. */
  durations(name: string): Sample[];
}

export function createRequestSeries(): RequestSeries {
  const requests = new Map<string, Requests>();
  const durations = new Map<string, Durations>();

  const begin = (method: string, path: string, status: number): Requests => {
    const key = `${method} ${path}`;
    const known = durations.get(key) ?? {
      labels: { method, path },
      buckets: new Array<number>(BOUNDS_S.length + 1).fill(0),
      sum: 0,
    };
    durations.set(key, known);
    return { labels: { method, path, status }, durations: known, count: 0 };
  };

  return {
    add(given, path, status, seconds) {
      const method = METHODS.has(given) ? given : OTHER_METHOD;
      const key = `${method} ${status} ${path}`;
      let series = requests.get(key);
      if (!series) {
        series = begin(method, path, status);
        requests.set(key, series);
      }
      series.count += 1;
      series.durations.sum += seconds;
      const index = BOUNDS_S.findIndex((bound) => seconds <= bound);
      const { buckets } = series.durations;
      const bucket = index === -1 ? BOUNDS_S.length : index;
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    },
    counts: () => [...requests.values()].map(({ labels, count }) => ({ labels, value: count })),
    durations: (name) => [...durations.values()].flatMap((one) => samplesOf(name, one)),
  };
}

/** Buckets hold all that is below their bound, as the format wants it. */
function samplesOf(name: string, { labels, buckets, sum }: Durations): Sample[] {
  let total = 0;
  const samples: Sample[] = buckets.map((count, index) => {
    total += count;
    const le = BOUNDS_S[index] ?? "+Inf";
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
  });
  return [
    ...samples,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
