export interface Sample {
  labels?: Readonly<Record<string, string>>;
  value: number;
}

export interface Metric {
  name: string;
  type: "counter" | "gauge";
  help: string;
  samples: readonly Sample[];
}

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export function formatMetrics(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, type, help, samples }) =>
      [
        `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
        `# TYPE ${name} ${type}`,
        ...samples.map(({ labels = {}, value }) => `${name}${formatLabels(labels)} ${formatValue(value)}`),
        "",
      ].join("\n"),
    )
    .join("");
}

export function withLabel(metrics: readonly Metric[], labels: Readonly<Record<string, string>>): Metric[] {
  return metrics.map((metric) => ({
    ...metric,
    samples: metric.samples.map((sample) => ({ ...sample, labels: { ...labels, ...sample.labels } })),
  }));
}

/** Groups metrics by name, since a page may contain each only once. */
export function mergeMetrics(pages: readonly (readonly Metric[])[]): Metric[] {
  const merged = new Map<string, Metric>();
  for (const metric of pages.flat()) {
    const samples = [...(merged.get(metric.name)?.samples ?? []), ...metric.samples];
    merged.set(metric.name, { ...metric, samples });
  }
  return [...merged.values()];
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function formatValue(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}
