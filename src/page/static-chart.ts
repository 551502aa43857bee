import type { EChartsOption } from "echarts";
import { init } from "echarts/dist/echarts.esm.min.mjs";

/** Widths of a chart in its own units, which the page scales: on a wide screen or paper, and on a phone. */
export const WIDE = 960;
export const NARROW = 420;

export interface ChartOptions {
  width: number;
  height: number;
  /** What a screen reader says. */
  label: string;
}

/** Draws an SVG element without script and style; the same option gives the same text. */
export function drawChart(option: EChartsOption, { width, height, label }: ChartOptions): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption({
      animation: false,
      textStyle: { color: "var(--ink)", fontFamily: "system-ui, sans-serif", fontSize: 14 },
      ...option,
    });
    return toStatic(chart.renderToSVGString({ useViewBox: true }), label);
  } finally {
    chart.dispose();
  }
}

/** Removes what only a script could use, and turns styles into attributes, as the page's policy requires. */
function toStatic(svg: string, label: string): string {
  return svg
    .replace(/<style[\s\S]*?<\/style>/g, "")
    .replace(/ (?:class|pointer-events|ecmeta_\w+)="[^"]*"/g, "")
    .replace(/ style="([^"]*)"/g, (_, style: string) =>
      style
        .split(";")
        .filter((declaration) => declaration !== "")
        .map((declaration) => declaration.replace(/^([\w-]+):(.*)$/, ' $1="$2"'))
        .join(""),
    )
    .replace(/^<svg width="\d+" height="\d+"/, () => `<svg role="img" aria-label="${escapeAttribute(label)}"`)
    .replace(/\n+/g, "\n")
    .trim();
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
