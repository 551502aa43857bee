/** A metric as a strict reader of Prometheus' text format 0.0.4 sees it. */
export interface ParsedMetric {
  type: string;
  help: string;
  /** Values by the labels, as `{name="value",…}`; an empty key for none. */
  samples: Record<string, number>;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABELS = /^(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*",?)*$/;
const VALUE = /^(?:[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)$/;

/**
 * Parses a page of metrics; throws for anything that the format does not allow, and for mistakes of writers:
 * a metric without HELP and TYPE before its samples, twice, or without samples; a sample twice.
 */
export function parsePrometheus(page: string): Record<string, ParsedMetric> {
  if (!page.endsWith("\n")) throw new Error("the last line does not end");
  const metrics: Record<string, ParsedMetric> = {};
  let current: { name: string; metric: ParsedMetric } | undefined;
  let help: { name: string; text: string } | undefined;
  for (const line of page.slice(0, -1).split("\n")) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === "HELP") {
      if (!NAME.test(name) || name in metrics) throw new Error(`a bad name, or one met before: ${line}`);
      help = { name, text: rest };
    } else if (kind === "TYPE") {
      if (help?.name !== name || !/^(counter|gauge)$/.test(rest))
        throw new Error(`a TYPE out of place: ${line}`);
      if (rest === "counter" && !name.endsWith("_total"))
        throw new Error(`a counter is named _total: ${line}`);
      const metric = { type: rest, help: help.text, samples: {} };
      current = { name, metric };
      metrics[name] = metric;
    } else {
      readSample(line, current);
    }
  }
  for (const [name, { samples }] of Object.entries(metrics)) {
    if (Object.keys(samples).length === 0) throw new Error(`${name} has no samples`);
  }
  return metrics;
}

function readSample(line: string, current: { name: string; metric: ParsedMetric } | undefined): void {
  const [, name, braced = "", value = ""] = /^([^\s{]+)(\{.*\})? (\S+)$/.exec(line) ?? [];
  if (current === undefined || name !== current.name) throw new Error(`a sample out of place: ${line}`);
  if (!LABELS.test(braced.slice(1, -1)) || !VALUE.test(value)) throw new Error(`a malformed sample: ${line}`);
  if (braced in current.metric.samples) throw new Error(`a sample met before: ${line}`);
  current.metric.samples[braced] = Number(value.replace("Inf", "Infinity"));
}
