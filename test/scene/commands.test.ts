import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readBySheetJs } from "../export/workbook-readers.ts";
import { readTables } from "../support/page.ts";
import { calltally } from "../support/run.ts";
import { ACCOUNTS, type AccountName, accountNamed, RANGE } from "../support/scene/accounts.ts";
import { buildScene } from "../support/scene/build.ts";

/** Its commands change it. */
const { folder } = buildScene();
const DAYS = `--from ${RANGE.from} --to ${RANGE.to}`;
const OTHER_DAYS = "--from 2026-03-23 --to 2026-04-05";
const SOME_CALLS =
  "SELECT call_id, source, duration_seconds, topic FROM attributed_calls ORDER BY call_id LIMIT 3";
const CHANNELS = "SELECT channel, calls, missed_calls, first_call_at FROM rollup_channel ORDER BY channel";

/** Files to try and to import; each line of them differs from the account's own. */
const FILES = {
  "try-channels.csv":
    "channel,source,medium,campaign,referrer\nLetters,newsletter,,,\nTwins,,,twin,\nNobody,nowhere,,,\n",
  "try-topics.csv":
    "topic,phrase,speaker,qualifies,value\nburst,pipe has burst,,yes,120\nmorning,good morning,,no,\nnever,purple,,,\n",
  "more-spend.csv":
    "day,source,medium,campaign,cost,currency\n2026-03-02,google,cpc,Spring sale,7.50,CURRENCY\n2026-03-03,other,cpc,Hill,2.25,CURRENCY\n2026-03-99,other,cpc,Hill,1.25,CURRENCY\n",
  "more-jobs.csv":
    "job id,call id,date,stage,amount\nJ-1,FIRST,2026-03-20,booked,70.10\nJ-2,999,2026-03-21,sold,80.20\nJ-3,FIRST,2026-03-22,maybe,90.30\n",
};

/** Commands that print for a person. The first applies the rules; some in the middle change what the last ones show. */
const commandsFor = (name: AccountName): string[] => {
  const { calls, gone } = accountNamed(name);
  const first = calls[0]?.call_id ?? 0;
  const [lost = 0] = gone;
  const files = `export channel source ${DAYS} --compare previous --total --spend --outcomes --out ${name}-a`;
  const explained = [first, first + 1, first + 21, calls.at(-1)?.call_id, lost].map((id) => `explain ${id}`);
  // The others differ in zones and units only.
  const channels = `query ${JSON.stringify(CHANNELS)}`;
  if (name !== "oahu") return [files, ...explained, channels];
  return [
    files,
    ...explained,
    channels,
    "topics",
    `topics --try ${name}-try-topics.csv`,
    "channels",
    `channels --try ${name}-try-channels.csv`,
    `hygiene --to ${RANGE.to}`,
    "hygiene --to 2026-02-26",
    `export calls callers --format json --out ${name}-b`,
    `export weekday ${OTHER_DAYS} --stdout --profile excel --columns calls,missed_calls,first_call_at`,
    `report ${DAYS} --out ${name}-d`,
    "spend list",
    "outcome list",
    `spend import ${name}-more-spend.csv`,
    `outcome import ${name}-more-jobs.csv --source till`,
    "spend list",
    "spend remove 2",
    "outcome list",
    "outcome remove 7",
    files,
    "restatements",
    "restatements --calls",
    `query --format table ${JSON.stringify(SOME_CALLS)}`,
    `query --format csv ${JSON.stringify(SOME_CALLS)}`,
  ];
};

/** Replaces the folder, ids, and times and ages that depend on when the test runs. */
const steady = (text: string, place = folder) =>
  text
    .replaceAll(place, "/scene")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z(?= {2})/g, "[now]                   ")
    .replace(/^\d{4}-\d\d-\d\d \d\d:\d\d(?= {2})/gm, "[now]")
    .replace(/(exported (?:on )?)\d{4}-\d\d-\d\d(?: \d\d:\d\d)?/g, "$1[now]")
    .replace(/\b[0-9a-f]{32}\b/g, "[id]")
    .replace(/left out: too (?:old|recent)/g, "left out: [age]");

const split = (command: string) =>
  [...command.matchAll(/"((?:[^"\\]|\\.)*)"|\S+/g)].map(([all, quoted]) => quoted ?? all);

it.each(ACCOUNTS)(
  "the texts of commands for $name are those of the file",
  async ({ name, currency, calls }) => {
    for (const [file, text] of Object.entries(FILES)) {
      const own = text.replaceAll("CURRENCY", currency).replaceAll("FIRST", String(calls[3]?.call_id));
      writeFileSync(join(folder, `${name}-${file}`), own);
    }
    const printed: string[] = [];
    for (const command of commandsFor(name)) {
      const args = [...split(command), "--account", name];
      const { code, stdout, stderr } = await calltally(args, { cwd: folder });
      printed.push(`$ calltally ${command}\n${steady(`${stdout}${stderr}`)}(exit ${code})\n`);
    }
    await expect(printed.join("\n")).toMatchFileSnapshot(`golden/commands-${name}.txt`);
  },
);

it("the overview of all accounts has the figures and times of the file", async () => {
  const { folder } = buildScene();
  const args = ["report", "--overview", ...DAYS.split(" "), "--timezone", "Pacific/Honolulu", "--out", "all"];
  const { code, stdout, stderr } = await calltally(args, { cwd: folder });
  const rows = readTables(readFileSync(join(folder, "all/overview.html"), "utf8")).flatMap((table) => [
    table.head,
    ...table.rows.map((row) => row.map(({ text }) => text)),
  ]);
  const sheets = Object.values(readBySheetJs(readFileSync(join(folder, "all/overview.xlsx"))));
  const cells = sheets.flat().map((row) => row.map((cell) => cell?.shown ?? ""));
  const lines = [...rows, ...cells].map((row) => row.join(" | "));
  const text = steady(`${stdout}${stderr}(exit ${code})\n\n${lines.join("\n")}\n`, folder);
  await expect(text).toMatchFileSnapshot("golden/overview-honolulu.txt");
});
