import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatMetrics,
  METRICS_TYPE,
  type Metric,
  mergeMetrics,
  withLabel,
} from "../../src/schedule/schedule-metrics.ts";
import { parsePrometheus } from "./prometheus.ts";

describe("formatMetrics", () => {
  it("writes the text format, with HELP and TYPE once per metric", () => {
    const page = formatMetrics([
      { name: "calls", type: "gauge", help: "Calls.", samples: [{ value: 5000 }] },
      { name: "empty", type: "gauge", help: "Nothing.", samples: [] },
      {
        name: "runs_total",
        type: "counter",
        help: "Runs\nby \\ job.",
        samples: [
          { labels: { job: "sync", exit: "0" }, value: 3 },
          { labels: { job: 'a"b\\c\nd', exit: "1" }, value: 0.5 },
        ],
      },
    ]);
    expect(page).toBe(`# HELP calls Calls.
# TYPE calls gauge
calls 5000
# HELP runs_total Runs\\nby \\\\ job.
# TYPE runs_total counter
runs_total{job="sync",exit="0"} 3
runs_total{job="a\\"b\\\\c\\nd",exit="1"} 0.5
`);
  });

  it.each([
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "+Inf"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
    [-0.5, "-0.5"],
  ])("writes %s as %s", (value, written) => {
    const page = formatMetrics([{ name: "m", type: "gauge", help: "M.", samples: [{ value }] }]);
    expect(page).toBe(`# HELP m M.\n# TYPE m gauge\nm ${written}\n`);
  });

  it("declares the content type that Prometheus requires", () => {
    expect(METRICS_TYPE).toBe("text/plain; version=0.0.4; charset=utf-8");
  });

  it("writes pages that a strict parser accepts, whatever the labels, help and values", () => {
    const text = fc.string({ unit: fc.constantFrom("a", '"', "\\", "\n", "{", "}", "é", " ") });
    fc.assert(
      fc.property(
        text,
        text,
        fc.double().map((value) => value + 0),
        (help, label, value) => {
          const page = formatMetrics([
            { name: "m", type: "gauge", help, samples: [{ labels: { l: label }, value }] },
          ]);
          expect(Object.values(parsePrometheus(page).m?.samples ?? {})).toEqual([value]);
        },
      ),
    );
  });
});

describe("metrics of several accounts", () => {
  const calls: Metric = { name: "calls", type: "gauge", help: "Calls.", samples: [{ value: 1 }] };
  const runs: Metric = {
    name: "runs",
    type: "counter",
    help: "Runs.",
    samples: [
      { labels: { job: "sync" }, value: 2 },
      { labels: { job: "export", account: "own" }, value: 3 },
    ],
  };

  it("adds the account's label to a metric's own labels", () => {
    expect(withLabel([calls, runs], { account: "acme" })).toEqual([
      { ...calls, samples: [{ labels: { account: "acme" }, value: 1 }] },
      {
        ...runs,
        samples: [
          { labels: { account: "acme", job: "sync" }, value: 2 },
          { labels: { account: "own", job: "export" }, value: 3 },
        ],
      },
    ]);
  });

  it("merges metrics by name, in order", () => {
    const [acme, beta] = ["acme", "beta"].map((account) => withLabel([calls, runs], { account }));
    expect(mergeMetrics([acme ?? [], beta ?? []])).toEqual(
      [calls, runs].map((metric, at) => ({
        ...metric,
        samples: [acme, beta].flatMap((metrics) => metrics?.[at]?.samples ?? []),
      })),
    );
    expect(mergeMetrics([])).toEqual([]);
  });
});
