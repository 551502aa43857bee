import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatMetrics } from "../../src/schedule/prometheus-format.ts";
import { parsePrometheus } from "./prometheus.ts";

describe("formatMetrics", () => {
  it("writes the text format, with HELP and TYPE once a metric", () => {
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

  it("writes what a strict reader takes, whatever the labels, help and values", () => {
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

describe("parsePrometheus", () => {
  it.each([
    "calls 1\n",
    "# HELP calls Calls.\n# TYPE calls gauge\n",
    "# HELP calls Calls.\n# TYPE calls gauge\ncalls 1",
    "# HELP calls Calls.\n# TYPE calls gauge\ncalls one\n",
    "# HELP calls Calls.\n# TYPE calls gauge\ncalls 1\ncalls 1\n",
    "# HELP calls Calls.\n# TYPE calls gauge\ncalls{state=live} 1\n",
    '# HELP calls Calls.\n# TYPE calls gauge\ncalls{state="a"b"} 1\n',
    "# HELP calls Calls.\n# TYPE calls counter\ncalls 1\n",
    "# HELP calls Calls.\n# TYPE calls gauge\n\ncalls 1\n",
  ])("is strict: %j", (page) => {
    expect(() => parsePrometheus(page)).toThrow();
  });
});
