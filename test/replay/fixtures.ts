import { PUBLISHER } from "../support/clickhouse-servers.ts";
import { STAGES } from "./calls.ts";
import type { Fixture, Step } from "./case.ts";
import type { Listing } from "./service.ts";

/** The key next to each warehouse: callers have the same hashes everywhere. */
const KEY = `${"5e".repeat(32)}\n`;
const MAIN = { calls: 1200, seed: 1 };
const hours = (time: string, count: number) => new Date(Date.parse(time) + count * 3_600_000).toISOString();

/** Syncs at each stage; twice at the second, to mark calls as gone. */
function syncs(
  tokens: Record<string, Omit<Listing, "stage">>,
  stages: readonly (0 | 1 | 2)[],
  commands: readonly string[] = ["sync --full --accept-gone 100"],
): Step[] {
  const serve = (stage: 0 | 1 | 2) =>
    Object.fromEntries(Object.entries(tokens).map(([token, listing]) => [token, { ...listing, stage }]));
  return stages.flatMap((stage): Step[] => [
    { serve: serve(stage) },
    { at: STAGES[stage] },
    ...commands,
    ...(stage === 1 ? [{ at: hours(STAGES[stage], 8) }, ...commands] : []),
  ]);
}

/** With refunds, days without costs, and a campaign that nobody calls. */
const GOOGLE_ADS = `Campaign performance
"October 1, 2025 - November 17, 2026"
Day,Campaign,Campaign ID,Currency code,Cost,Clicks,Impr.
${days("2026-08-01", 108)
  .flatMap((day, index) => [
    `${day},Brand,111,EUR,"${(index % 7) * 11 + 3}.${String(index % 100).padStart(2, "0")}",${index % 13},"1,${String(index % 1000).padStart(3, "0")}"`,
    `${day},Generic,222,EUR,${(index % 5) * 20}.50,${index % 9},${index * 3}`,
    ...(index % 10 === 0 ? [`${day},"Nobody calls, ever",1001,EUR,12.25,2,40`] : []),
    ...(index % 15 === 7 ? [`${day},Generic,222,EUR,-33.33,0,0`] : []),
    ...(index % 6 === 1 ? [`${day},Free,333,EUR,0.00,0,${index}`] : []),
  ])
  .join("\n")}
Total: All campaigns, --,--,EUR,"1,000.00",10,20
`;

const COSTS = `day,source,medium,campaign,cost,currency,clicks,impressions
${days("2026-09-01", 70)
  .map(
    (day, index) =>
      `${day},facebook,paid_social,spring tune-up,${index % 11}.10,EUR,${index % 4},${index * 2}`,
  )
  .join("\n")}
2026-10-05,=1+1,cpc,"=HYPERLINK(""x"")",3.33,EUR,1,1
2026-10-06,newsletter,email,refunded,-1.25,EUR,0,0
2026-10-07,(total),cpc,(other),7.77,EUR,3,9
`;

const TOPICS = `topic,phrase,speaker,qualifies,value
leak,tap leaks,caller,yes,250
greeting,hello,,no,
(total),😀,,,
`;

function days(first: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.parse(first) + index * 86_400_000).toISOString().slice(0, 10),
  );
}

const FILES = {
  "aliases.csv": "raw,value\nfb,facebook\nYELP,Yelp!\n",
  "callers.txt": "+49301000001\n+49 30 1000002\n+49301000003\n+49301999999\n",
  "no-callers.txt": "\n",
  "bad-callers.txt": "not a number\n",
  "topics.csv": TOPICS,
  "new-topics.csv": TOPICS.replace("tap leaks", "hello. my"),
  "google-ads.csv": GOOGLE_ADS,
  "costs.csv": COSTS,
  "cluster.password": `${PUBLISHER.password}\n`,
};

const spend: Step[] = [{ at: hours(STAGES[2], 1) }, "spend import google-ads.csv costs.csv"];

const ENV = {
  CALLTALLY_TOKEN: "main",
  CALLTALLY_ALIASES: "aliases.csv",
  CALLTALLY_TOPICS: "topics.csv",
};

/** The file of the accounts. */
export const AGENCY = `timezone: Europe/Berlin
accounts:
  north:
    base_url: SERVICE
    token_file: north.token
    currency: EUR
  south:
    base_url: SERVICE
    token_file: south.token
    timezone: America/New_York
    duration_unit: milliseconds
    answered: [answered]
    currency: EUR
    aliases: aliases.csv
  idle:
    base_url: SERVICE
    token_file: idle.token
    timezone: Pacific/Auckland
`;

const AGENCY_TOKENS = {
  north: { calls: 300, seed: 2 },
  south: { calls: 250, seed: 3 },
  idle: { calls: 0, seed: 4 },
};

const AGENCY_SYNCS = Object.keys(AGENCY_TOKENS).map(
  (name) => `sync --full --accept-gone 100 --account ${name}`,
);

const AGENCY_FILES = {
  ...FILES,
  "calltally.yaml": AGENCY,
  ...Object.fromEntries(Object.keys(AGENCY_TOKENS).map((name) => [`${name}.token`, `${name}\n`])),
  ...Object.fromEntries(
    Object.keys(AGENCY_TOKENS).map((name) => [`data/${name}/calltally.db.caller-key`, KEY]),
  ),
};

/** Folders that cases start from, made once by the old build. */
export const FIXTURES: Record<string, Fixture> = {
  /** Many calls with odd texts, some late, corrected or gone; spend. */
  hostile: {
    env: ENV,
    steps: [
      { write: { ...FILES, "data/calltally.db.caller-key": KEY } },
      ...syncs({ main: MAIN }, [0, 1, 2]),
      ...spend,
    ],
  },
  /** Durations in milliseconds, in a time zone of half hours. */
  milliseconds: {
    env: { ...ENV, CALLTALLY_DURATION_UNIT: "milliseconds", CALLTALLY_TIMEZONE: "America/St_Johns" },
    steps: [
      { write: { ...FILES, "data/calltally.db.caller-key": KEY } },
      ...syncs({ main: { calls: 600, seed: 21, isInMilliseconds: true } }, [0, 1, 2]),
      ...spend,
    ],
  },
  /** The hostile warehouse as of the second stage, with exported files. */
  exported: {
    env: ENV,
    steps: [
      { write: { ...FILES, "data/calltally.db.caller-key": KEY } },
      ...syncs({ main: MAIN }, [0, 1]),
      "spend import google-ads.csv costs.csv",
      "export channel source campaign --last 3m --grain month",
      "export channel --last 8w --grain week --total --out weekly",
      "export google-ads google-leads microsoft-ads --new --conversion-value 40 --currency EUR --out uploads",
      "report --last 4w",
    ],
  },
  /** The exported one, after calls have changed. */
  restated: {
    on: "exported",
    env: ENV,
    steps: [...syncs({ main: MAIN }, [2])],
  },
  /** One sync of a service that has no calls. */
  empty: {
    env: ENV,
    steps: [
      { write: { ...FILES, "data/calltally.db.caller-key": KEY } },
      ...syncs({ main: { calls: 0, seed: 1 } }, [2]),
    ],
  },
  /** No warehouse. */
  none: { env: ENV, steps: [{ write: FILES }] },
  /** The pass is probably complete. */
  probable: {
    env: ENV,
    steps: [
      { write: { ...FILES, "data/calltally.db.caller-key": KEY } },
      ...syncs({ main: { calls: 150, seed: 8, mode: "cached" } }, [2]),
    ],
  },
  /** The pass could not be proven. */
  unproven: {
    env: ENV,
    steps: [
      { write: { ...FILES, "data/calltally.db.caller-key": KEY } },
      ...syncs({ main: { calls: 2500, seed: 5, mode: "shuffled" } }, [2]),
    ],
  },
  /** No sync has finished. */
  unfinished: {
    env: { ...ENV, CALLTALLY_LIMIT: "100" },
    steps: [
      { write: { ...FILES, "data/calltally.db.caller-key": KEY } },
      ...syncs({ main: { calls: 400, seed: 6, mode: "failing" } }, [2]),
    ],
  },
  /** Numbers of callers are not kept, one caller is forgotten, transcripts are kept for 30 days; spend. */
  kept: {
    env: { ...ENV, CALLTALLY_KEEP_CALLER_NUMBERS: "never", CALLTALLY_KEEP_TRANSCRIPTS: "30d" },
    steps: [
      { write: { ...FILES, "data/calltally.db.caller-key": KEY } },
      ...syncs({ main: { calls: 300, seed: 7 } }, [0, 1, 2]),
      ...spend,
      "forget +49301000001",
    ],
  },
  /** What `demo` makes. */
  demo: {
    env: { CALLTALLY_DATABASE: "data/demo/calltally.db", CALLTALLY_TIMEZONE: "America/Chicago" },
    steps: [{ write: FILES }, "demo"],
  },
  /** Three accounts, of which one has no calls. */
  agency: {
    env: {},
    steps: [
      { write: AGENCY_FILES },
      ...syncs(AGENCY_TOKENS, [0, 1, 2], AGENCY_SYNCS),
      { at: hours(STAGES[2], 1) },
      "spend import google-ads.csv --account north",
      "spend import costs.csv --account south",
    ],
  },
};
