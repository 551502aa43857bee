export const ROLLUPS = [
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_content",
  "utm_term",
  "source",
  "medium",
  "campaign",
  "gclid",
  "channel",
  "insight_name",
  "org_unit",
  "tracking_number",
  "disposition",
  "referring_host",
  "weekday",
  "hour",
];
export const CONVERSIONS = ["google-ads", "google-leads", "google-data-manager", "microsoft-ads"];
export const LISTS = ["calls", "callers", ...CONVERSIONS, "ga4-events", "google-ads-adjustments"];
export const FORMATS = ["csv", "tsv", "json", "ndjson", "parquet", "xlsx"];
export const GRAINS = ["", "--grain day", "--grain week", "--grain month", "--grain quarter"];
export const COMPARISONS = ["", "--compare previous", "--compare year"];
export const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Pacific/Auckland",
  "America/St_Johns",
];
export const RANGES = [
  "--last 7d",
  "--last 4w",
  "--last 3m",
  "--last today",
  "--last yesterday",
  "--last mtd",
  "--last ytd",
  "--last last-month",
  "--from 2026-10-01",
  "--to 2026-09-30",
  "--from 2026-03-01 --to 2026-03-31",
  "--from 2026-10-26 --to 2026-11-01",
  "",
];
export const FILTERS = [
  "--channel 'paid search'",
  "--channel Email --channel Direct",
  "--source google",
  "--source '(not set)'",
  "--campaign Brand",
  "--campaign 222",
  "--disposition answered",
  "--disposition 'no answer' --disposition busy",
  "--min-duration 60",
  "--first-time",
  "--has-gclid",
  "--org-unit Berlin",
  "--org-unit 10",
  "--tracking-number +49896543210",
  "--exclude-callers callers.txt",
  "--exclude-callers no-callers.txt",
  "--include-gone",
  "--source nobody --allow-empty",
  "--channel 'Paid Search' --first-time --min-duration 30 --exclude-callers callers.txt",
];
export const PRIVATE = ["caller_id", "summary", "transcription", "recording_url"];

export const words = (...parts: string[]) => parts.filter((part) => part !== "").join(" ");

/** Draws the same each time. */
function* draws(seed: number): Generator<number, never> {
  for (let state = BigInt(seed); ; ) {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    yield Number(state >> 33n);
  }
}

/** Questions of everything at once; a few of them are refused. */
export function mixes(count: number, seed: number): string[] {
  const random = draws(seed);
  const draw = (below: number) => random.next().value % below;
  const pick = (values: readonly string[]) => values[draw(values.length)] ?? "";
  const maybe = (odds: number, text: string) => (draw(odds) === 0 ? text : "");
  return Array.from({ length: count }, () => {
    const contents = Array.from({ length: draw(3) }, () => pick([...ROLLUPS, "calls", "callers"]));
    const by =
      draw(2) === 0 || contents.length === 0 ? [pick(ROLLUPS), pick(ROLLUPS)].slice(0, 1 + draw(2)) : [];
    const grain = pick(GRAINS);
    const isSmall = draw(6) === 0;
    return words(
      "export",
      [...new Set(contents)].join(" "),
      by.length > 0 ? `--by ${[...new Set(by)].join()}` : "",
      pick(RANGES),
      draw(2) === 0 ? `--timezone ${pick(ZONES)}` : "",
      grain,
      maybe(3, pick(COMPARISONS)),
      grain === "" || isSmall ? "" : maybe(3, "--fill"),
      maybe(3, "--total"),
      maybe(5, "--raw"),
      isSmall ? `--min-cell ${2 + draw(9)}` : maybe(4, `--top ${1 + draw(6)}`),
      maybe(6, isSmall ? "" : "--spend"),
      maybe(2, pick(FILTERS)),
      maybe(8, `--with ${pick(PRIVATE)}`),
      draw(3) === 0 ? "" : `--format ${pick(FORMATS)}`,
      maybe(8, "--profile excel"),
      maybe(12, "--delimiter ';'"),
      maybe(9, "--stdout"),
      maybe(15, "--json"),
    );
  });
}
