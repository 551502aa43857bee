import type { EChartsOption, init } from "echarts";

export interface ChartOptions {
  width: number;
  height: number;
  /** What a screen reader says. */
  label: string;
}

/** Draws an SVG element without script and style; the same option gives the same text. @param start `init` of ECharts */
export function drawSvg(
  start: typeof init,
  option: EChartsOption,
  { width, height, label }: ChartOptions,
): string {
  const chart = start(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption({ animation: false, ...option });
    return staticSvg(chart.renderToSVGString({ useViewBox: true }), label);
  } finally {
    chart.dispose();
  }
}

/** Removes what only a script could use, and turns styles into attributes, as the policy of pages requires. */
function staticSvg(svg: string, label: string): string {
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
