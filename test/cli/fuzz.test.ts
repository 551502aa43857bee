import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { toCalltallyError } from "../../src/base/known-error.ts";
import { LISTS } from "../../src/config/request/option-values.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { DIMENSIONS } from "../../src/figures/dimensions.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { calltally, settingsFor } from "../support/run.ts";
import { makeTempFolder, readFiles } from "../support/temp-folder.ts";

/** Command lines to try: 2,000 in `npm run test:soak`. */
const RUNS = Number(process.env.CALLTALLY_COMMAND_LINES ?? 80);
const AT_ONCE = 4;

const UNEXPECTED = toCalltallyError(null).message;

/** A placeholder for the id of an existing call. */
const KNOWN_CALL = "{call_id}";

/** Odd values for any argument. */
const ODD = [
  "",
  " ",
  "-",
  "--",
  "'",
  '"',
  "%",
  ",",
  "=1+1",
  "$(id)",
  "a,b",
  "../x",
  "/dev/null",
  "0",
  "-1",
  "1e3",
  "0x10",
  "1.5",
  "99999999999999999999",
  "NaN",
  "null",
  "__proto__",
  "constructor",
  "(not set)",
  "(total)",
  "(other)",
  "\u202e",
  "\u001b[31m",
  "é",
  "e\u0301",
  "ß",
];

const odd = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ODD) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }).filter((text) => !text.includes("\0")),
  },
);
/** Mostly valid values, so that an odd one takes effect. */
const mostly = (...right: string[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...right) }, { weight: 1, arbitrary: odd });
const given = (name: string, value: fc.Arbitrary<string>) => value.map((text) => [name, text]);
const ZONES = mostly(
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Pacific/Apia",
  "PST",
  "EST",
  "europe/berlin",
  "+02:00",
);
const DATES = mostly(
  "2026-01-01",
  "2026-10-25",
  "2026-12-31",
  "2024-02-29",
  "2026-02-30",
  "0001-01-01",
  "9999-12-31",
  "12026-01-01",
);
const WORDS = mostly("google", "Google", "bing", "gogle", "(not set)", "brand", "answered");

const COMMON = [
  given("--database", mostly("data/calltally.db", "data/calltally.db", "data/none.db", "data", "README.md")),
];
const alone = (...flags: string[]) => flags.map((flag) => fc.constant([flag]));
const FLAGS: Record<string, readonly fc.Arbitrary<readonly string[]>[]> = {
  export: [
    ...["--from", "--to"].map((flag) => given(flag, DATES)),
    given("--last", mostly("7d", "4w", "3m", "mtd", "last-month", "ytd", "today", "0d", "99999999d")),
    given("--timezone", ZONES),
    ...["--org-unit", "--source", "--campaign", "--disposition", "--topic", "--conversion-name"].map((flag) =>
      given(flag, WORDS),
    ),
    given("--channel", mostly("paid search", "direct", "Email")),
    given("--min-duration", mostly("0", "60", "999999999")),
    given("--tracking-number", mostly("+15551230000", "(not set)")),
    given("--exclude-callers", mostly("callers.txt")),
    ...alone(
      "--first-time",
      "--has-gclid",
      "--include-gone",
      "--raw",
      "--spend",
      "--fill",
      "--total",
      "--every",
    ),
    ...alone("--stdout", "--json", "--new", "--allow-empty", "--replace", "--quiet"),
    given("--top", mostly("1", "25", "10000", "10001")),
    given("--measurement-id", mostly("G-1A2B3C4D5E")),
    given(
      "--by",
      mostly("channel", "utm_source,utm_medium", "gclid,campaign,hour", "weekday,hour", "channel,channel"),
    ),
    given("--grain", mostly("day", "week", "month", "quarter")),
    given("--compare", mostly("previous", "year")),
    given("--format", mostly("csv", "json", "ndjson", "parquet")),
    given("--profile", mostly("machine", "excel")),
    given("--delimiter", mostly(";", "tab", "|")),
    given("--with", mostly("caller_id", "summary,transcription")),
    given("--out", mostly("data/exports", "data/exports", "data/other/deep", "README.md", "data")),
    given("--conversion-value", mostly("40", "149.50")),
    given("--currency", mostly("EUR", "usd")),
    ...["--ad-user-data", "--ad-personalization"].map((flag) => given(flag, mostly("granted", "denied"))),
  ],
  status: [
    given("--max-age", mostly("2h", "30m", "1d")),
    given("--runs", mostly("1", "20")),
    ...alone("--json", "--quiet"),
  ],
  explain: [given("--timezone", ZONES), ...alone("--json")],
  query: [
    given("--format", mostly("table", "csv", "json")),
    given("--max-rows", mostly("1", "10")),
    given("--timeout", mostly("30", "60")),
  ],
};
const CONTENTS = mostly(...DIMENSIONS, ...LISTS, "google-ads");
const ARGUMENTS: Record<string, fc.Arbitrary<string[]>> = {
  export: fc.array(CONTENTS, { maxLength: 3 }),
  status: fc.constant([]),
  explain: mostly(KNOWN_CALL, KNOWN_CALL, KNOWN_CALL, KNOWN_CALL, "1").map((id) => [id]),
  query: mostly(
    "SELECT channel, count(*) FROM attributed_calls GROUP BY 1",
    "SELECT * FROM calls",
    "DELETE FROM calls",
    "SELECT 1; SELECT 2",
    "SELECT x'00', 9223372036854775807, 1e999, NULL",
    "PRAGMA user_version",
    "SELECT char(27, 8238)",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT * FROM n",
  ).map((sql) => [sql]),
};
const VALUES: Record<string, fc.Arbitrary<string>> = {
  CALLTALLY_TIMEZONE: ZONES,
  CALLTALLY_ANSWERED: mostly("answered", "answered,transferred", "answerd", "busy"),
  CALLTALLY_MISSED: mostly("busy", "no answer,busy"),
  CALLTALLY_DURATION_UNIT: mostly("seconds", "milliseconds"),
  CALLTALLY_ALIASES: mostly("aliases.csv", "callers.txt", "none.csv"),
  CALLTALLY_TOPICS: mostly("topics.csv", "callers.txt", "none.csv"),
  CALLTALLY_CURRENCY: mostly("EUR", "usd"),
  CALLTALLY_EXPORT_DIR: mostly("data/exports"),
};
const setting = fc
  .constantFrom(...Object.values(SETTINGS).map(({ env }) => env), "CALLTALLY_TIMEZON", "CALLTALLY_X")
  .filter((name) => name !== SETTINGS.database.env)
  .chain((name) =>
    (VALUES[name] ?? mostly("1", "60", "https://example.com")).map((value): [string, string] => [
      name,
      value,
    ]),
  );

const commandLine = fc
  .constantFrom("export", "export", "export", "status", "explain", "query")
  .chain((command) =>
    fc.record({
      args: fc
        .tuple(
          ARGUMENTS[command] ?? fc.constant([]),
          fc.array(fc.oneof(...(FLAGS[command] ?? []), ...COMMON), { maxLength: 5 }),
        )
        .map(([words, flags]) => [command, ...flags.flat(), ...words]),
      env: fc.array(setting, { maxLength: 3 }).map((pairs) => Object.fromEntries(pairs)),
    }),
  );

/** The files in a folder except the warehouse's own. */
const filesOf = (folder: string) =>
  Object.entries(readFiles(folder)).filter(([file]) => !file.includes("calltally.db"));

it(`calltally handles all errors and replaces no file on an error: ${RUNS} command lines`, async () => {
  using folder = makeTempFolder();
  await using sandbox = await startSandbox({ calls: 60 });
  const env = settingsFor(sandbox);
  const workers = Array.from({ length: AT_ONCE }, (_, index) => join(folder.path, `${index}`));
  const [first = "", ...others] = workers;
  mkdirSync(first);
  for (const [name, text] of Object.entries({
    "README.md": "not a warehouse",
    "callers.txt": "+1 555 123 0000\n",
    "aliases.csv": "raw,value\nfb,facebook\n",
    "topics.csv": "topic,phrase\nemergency,pipe burst\n",
  }))
    writeFileSync(join(first, name), text);
  for (const args of [["sync"], ["export"]])
    expect(await calltally(args, { cwd: first, env })).toMatchObject({ code: 0 });
  for (const other of others) cpSync(first, other, { recursive: true });

  const ids = await calltally(["query", "--format", "json", "SELECT max(call_id) AS id FROM calls"], {
    cwd: first,
    env,
  });
  const knownCall = String(JSON.parse(ids.stdout)[0].id);
  const lines = fc.sample(commandLine, { numRuns: RUNS, seed: 16 });
  const ends = new Map<string, number>();
  const work = async (cwd: string, worker: number) => {
    for (const { args, env: odd } of lines.filter((_, index) => index % AT_ONCE === worker)) {
      const before = filesOf(cwd);
      const { code, stdout, stderr } = await calltally(
        args.map((text) => (text === KNOWN_CALL ? knownCall : text)),
        { cwd, env: { ...env, ...odd } },
      );
      const line = JSON.stringify({ args, env: odd, code, stderr });
      expect(stdout + stderr, line).not.toContain(UNEXPECTED);
      expect([0, 2, 3, 6, 7], line).toContain(code);
      if (code !== 0 && code !== 3) expect(filesOf(cwd), line).toEqual(before);
      if (code !== 0) expect(stderr, line).not.toBe("");
      const end = `${args[0]} ${code}`;
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
  };
  await Promise.all(workers.map(work));
  // Not all of one kind, or it would prove little.
  for (const command of ["export", "status", "explain", "query"]) {
    for (const code of [0, 2])
      expect(ends.get(`${command} ${code}`) ?? 0, `${command} ${code}`).toBeGreaterThan(RUNS / 240);
  }
});
