/**
 * Removes from a chart of ECharts what only a script could use, and turns styles into attributes, as the policy of pages
 * requires.
 * @param label what a screen reader says
 */
export function staticSvg(svg: string, label: string): string {
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
