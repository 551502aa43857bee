import { type Case, line } from "./case.ts";

export const DIMENSIONS = [
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
  "topic",
  "referring_host",
  "weekday",
  "hour",
];
const CONVERSIONS = ["google-ads", "google-leads", "google-data-manager", "microsoft-ads"];
export const FORMATS = ["csv", "tsv", "json", "ndjson", "parquet", "xlsx", "sqlite"];
const GRAINS = ["day", "week", "month", "quarter"];
const COMPARISONS = ["previous", "year"];
const PRIVATE = ["caller_id", "summary", "transcription", "recording_url"];
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Pacific/Auckland",
  "America/St_Johns",
];
const FIGURES = [
  "calls",
  "answered_calls",
  "missed_calls",
  "other_calls",
  "answer_rate",
  "unique_callers",
  "first_time_callers",
  "qualified_calls",
  "total_duration_seconds",
  "average_duration_seconds",
  "median_duration_seconds",
  "first_call_at",
  "last_call_at",
];
const COSTS = [
  "cost",
  "clicks",
  "impressions",
  "cost_per_call",
  "cost_per_qualified_call",
  "cost_per_first_time_caller",
];
/** These have costs. */
const OF_SPEND = ["source", "medium", "campaign", "channel"];

/** Closed ranges, which can be compared. */
const CLOSED = [
  "--last 7d",
  "--last 4w",
  "--last 8w",
  "--last 3m",
  "--last today",
  "--last yesterday",
  "--last mtd",
  "--last ytd",
  "--last last-month",
  "--from 2026-03-01 --to 2026-03-31",
  "--from 2026-09-15 --to 2026-11-04",
  "--from 2026-10-24 --to 2026-11-02",
];
const RANGES = [...CLOSED, "--from 2026-10-01", "--to 2026-09-30", ""];

const COMMON_FILTERS = [
  "--channel 'paid search'",
  "--channel Email --channel Direct",
  "--source google",
  "--source '(direct)'",
  "--disposition answered",
  "--disposition 'no answer' --disposition busy",
  "--min-duration 60",
  "--first-time",
  "--has-gclid",
  "--include-gone",
  "--exclude-callers callers.txt",
  "--source nobody --allow-empty",
  "--channel 'Paid Search' --first-time --min-duration 30 --exclude-callers callers.txt",
];
const ODD_FILTERS = [
  ...COMMON_FILTERS,
  "--campaign Brand",
  "--campaign 222",
  "--campaign '(total)'",
  "--campaign '(not set)'",
  "--org-unit Berlin",
  "--org-unit 10 --org-unit munich",
  "--tracking-number +49896543210",
  "--topic leak",
  "--topic '(total)' --topic greeting",
  "--exclude-callers no-callers.txt",
];
/** Filters that match calls, by fixture. */
const FILTERS: Record<string, readonly string[]> = {
  demo: [
    ...COMMON_FILTERS,
    "--campaign 'brand | exact'",
    "--org-unit 'Northwind Austin'",
    "--tracking-number '+1 512 555 0101'",
  ],
  hostile: ODD_FILTERS,
  milliseconds: ODD_FILTERS,
  kept: ODD_FILTERS,
};

const join = (...parts: string[]) => parts.filter((part) => part !== "").join(" ");

/** Draws the same numbers each time. */
function* drawNumbers(seed: number): Generator<number, never> {
  for (let state = BigInt(seed); ; ) {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    yield Number(state >> 33n);
  }
}

/** Adds drawn options to each of some contents of an export; a few combinations are refused. */
export function withDrawnOptions(contents: readonly string[], on: string, seed: number): string[] {
  const random = drawNumbers(seed);
  const below = (count: number) => random.next().value % count;
  const pick = (values: readonly string[]) => values[below(values.length)] ?? "";
  const maybe = (odds: number, text: string) => (below(odds) === 0 ? text : "");
  return contents.map((content) => {
    const words = content.split(/[ ,]/);
    const hasSpend = words.every((word) => ["--by", ...OF_SPEND].includes(word)) && below(3) === 0;
    const isShared = !/gclid|tracking_number/.test(content) && !hasSpend && below(7) === 0;
    const grain = maybe(2, pick(GRAINS));
    const isCompared = below(3) === 0;
    return join(
      "export",
      content,
      isCompared ? `${pick(CLOSED)} --compare ${pick(COMPARISONS)}` : pick(RANGES),
      isCompared ? maybe(2, "--chance") : "",
      maybe(2, `--timezone ${pick(ZONES)}`),
      grain && `--grain ${grain}`,
      grain && !isShared ? maybe(2, "--fill") : "",
      maybe(2, "--total"),
      hasSpend ? "--spend" : maybe(5, "--raw"),
      isShared ? `--min-cell ${2 + below(9)}` : maybe(4, `--top ${1 + below(6)}`),
      maybe(3, pick(FILTERS[on] ?? COMMON_FILTERS)),
      maybe(6, `--columns ${[pick(FIGURES), pick(FIGURES), pick(hasSpend ? COSTS : FIGURES)].join()}`),
      `--format ${pick(FORMATS)}`,
      maybe(20, "--json"),
    );
  });
}

/** Every dimension, and every pair of two. */
const GROUPS = DIMENSIONS.flatMap((dimension, index) => [
  dimension,
  ...DIMENSIONS.slice(index + 1).map(
    (other, at) => `--by ${(index + at) % 2 === 0 ? [dimension, other].join() : [other, dimension].join()}`,
  ),
]);

/** Each option with the values that it has. */
const optionsOf = (on: string): string[] => [
  "export",
  "export --total --json",
  ...DIMENSIONS.map((name) => `export ${name} --total`),
  ...FORMATS.map((format) => `export ${DIMENSIONS.join(" ")} --last 3m --format ${format}`),
  ...FORMATS.flatMap((format) => [
    `export --by channel,campaign --grain month --compare previous --chance --fill --total --last 3m --format ${format}`,
    `export --by source,medium --spend --total --last 8w --format ${format}`,
    `export --by utm_campaign,utm_content --top 5 --total --format ${format}`,
    `export --by channel,org_unit --min-cell 5 --total --format ${format}`,
    `export calls --with ${PRIVATE.join()} --last 4w --format ${format}`,
    `export callers channel --last 4w --format ${format}`,
    `export channel --last 4w --format ${format} --stdout`,
  ]),
  ...GRAINS.flatMap((grain) => [
    `export channel --last 3m --grain ${grain} --fill --total`,
    `export channel --last 3m --grain ${grain} --spend --total --top 2`,
    ...COMPARISONS.map(
      (other) =>
        `export channel source --last 3m --grain ${grain} --compare ${other} --chance --fill --total`,
    ),
  ]),
  ...RANGES.map((range) => join("export channel weekday hour --total", range)),
  ...CLOSED.flatMap((range) =>
    COMPARISONS.map((other) => join("export --by channel,weekday --chance --total --compare", other, range)),
  ),
  ...ZONES.map(
    (zone) =>
      `export hour weekday calls --timezone ${zone} --grain day --from 2026-10-24 --to 2026-11-02 --fill`,
  ).map((command) => command.replace(" calls", "")),
  ...ZONES.map((zone) => `export calls callers --timezone ${zone} --last 8w`),
  ...(FILTERS[on] ?? []).flatMap((filter) => [
    `export channel calls --total ${filter}`,
    `export --by source,campaign --grain month --last 3m --compare previous --format json ${filter}`,
    `export callers google-ads ${filter}`,
    `export channel --spend --total ${filter}`,
  ]),
  ...["source", "medium", "campaign", "channel", "--by channel,source,campaign"].flatMap((by) => [
    `export ${by} --spend --total`,
    `export ${by} --spend --grain month --total --fill --compare previous --last 3m`,
    `export ${by} --spend --grain week --top 3 --total --compare year --last 8w`,
  ]),
  ...[1, 2, 5, 100].map(
    (top) =>
      `export --by utm_source,utm_campaign --top ${top} --grain month --compare previous --last 3m --fill --total`,
  ),
  ...[2, 5, 50].map(
    (cell) =>
      `export --by utm_campaign,utm_content --min-cell ${cell} --grain month --compare previous --last 3m --total`,
  ),
  ...DIMENSIONS.slice(0, 8).map((name) => `export ${name} --raw --total`),
  ...[...FIGURES, ...COSTS].map(
    (figure) => `export channel --spend --total --last 8w --compare previous --columns ${figure}`,
  ),
  ...["machine", "excel"].flatMap((profile) => [
    `export calls utm_campaign campaign --profile ${profile}`,
    `export calls callers channel --profile ${profile} --format tsv`,
    `export utm_campaign --profile ${profile} --delimiter ';' --total`,
  ]),
  ...CONVERSIONS.flatMap((kind) => [
    `export ${kind} --every --conversion-name 'A call, qualified' --conversion-value 149.50 --currency EUR`,
    `export ${kind} --stdout --last 8w --timezone Europe/Berlin`,
    `export ${kind} --new`,
    `export ${kind} --min-duration 90 --exclude-callers callers.txt --include-gone`,
  ]),
  "export ga4-events --measurement-id G-1A2B3C4D5E --every --new --conversion-value 2 --currency USD",
  "export google-ads google-leads google-data-manager --ad-user-data granted --ad-personalization denied",
  ...RANGES.filter((range) => !/^--(from|to) \S+$/.test(range)).map((range) => join("report", range)),
  ...GRAINS.map((grain) => `report --last 3m --grain ${grain} --compare year`),
  "report --spend --last 3m --timezone America/New_York",
  "report --stdout --last 8w",
  ...(FILTERS[on] ?? []).map((filter) => `report --last 3m ${filter}`),
];

const WAREHOUSES = ["demo", "hostile", "milliseconds"];

/** Figures of three warehouses, by one command line each. */
export const FIGURE_CASES: readonly Case[] = WAREHOUSES.flatMap((on, index) => [
  ...(on === "demo" ? [] : optionsOf(on).map((command) => line(on, command))),
  ...withDrawnOptions(GROUPS, on, 11 + index).map((command) => line(on, command)),
]);
