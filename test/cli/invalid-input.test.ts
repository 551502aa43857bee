import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HAS_PROCESSES } from "../support/run.ts";
import { makeFolder } from "./folder.ts";

const TOKEN = "canary-token-417";
const ACCESS = { CALLTALLY_BASE_URL: "https://api.example.invalid", CALLTALLY_TOKEN: TOKEN };
const LEADS = "export google-ads --conversion-value";
const CLUSTER = "--engine clickhouse://localhost/calls";

/** Each command line, with parts of its error. */
const CASES: [line: string, ...says: string[]][] = [
  ["snyc", "Did you mean sync?"],
  ["sync --fast", "Cannot use --fast: calltally sync has no such option\n`calltally sync --help` lists"],
  ["sync --limit 5000", "--limit 5000: must be a whole number from 2 to 1000"],
  ["job dance", "There is no job dance; jobs are sync, export"],
  ["schema cals", "There is no table or view cals\nDid you mean calls?\n"],
  ["completion bsh", "Did you mean bash?"],
  ["calls --sort-by cost", "source_name, total_calls, conversion_rate, roi, cost_per_conversion"],
  ["calls --limit 1001", "--limit 1001"],
  ["query --timeout=0 x", "must be a whole number from 1 to 86400"],
  ["query --timeout=86401 x", "must be a whole number from 1 to 86400"],
  ["status --max-age 2w", "such as 30m, 2h or 1d"],
  ["status --max-age=", "such as 30m, 2h or 1d"],
  ["schedule --listen 9464x", "--listen 9464x: must be an address and a port"],
  ["schedule --listen 0.0.0.0:9464", "--listen 0.0.0.0:9464: other machines could reach it"],
  ["export utm_sorce", "utm_sorce", "must be one of utm_source", "Did you mean utm_source?"],
  ["export --by source,mediun", "--by", "Did you mean medium?"],
  ["export --from 2026-02-30", "--from", "Did you mean 2026-02-28?"],
  ["export --to 20.11.2026", "--to", "Did you mean 2026-11-20?"],
  ["export --last 7days", "--last", "Did you mean 7d?"],
  ["export --last 7d --from 2026-01-01", "--last", "--from"],
  ["export --timezone Europe/Berlni", "--timezone", "Did you mean Europe/Berlin?"],
  ["export channel --top 0", "--top", "whole number from 1 to 10000"],
  ["export --grain quater", "--grain", "Did you mean quarter?"],
  ["export channel --columns calls,answer_rat", "--columns", "Did you mean answer_rate?"],
  ["export channel --stdout --json", "--stdout", "--json"],
  ["export calls --with calller_id", "--with", "Did you mean caller_id?"],
  ["export --format pdf", "Cannot use --format pdf", "`calltally report --format pdf` prints a page"],
  ["export ga4-events --measurement-id UA-1-1", "--measurement-id", "such as G-1A2B3C4D5E"],
  [`${LEADS} 1 --currency EUD`, "--currency", "Did you mean"],
  [`${LEADS} 12,50`, "--conversion-value", "such as 149.50"],
  ["export google-ads --ad-user-data grant", "--ad-user-data", "Did you mean granted?"],
  ["export --min-duration 1m", "--min-duration", "must be a whole number"],
  ["export --tracking-number=", "--tracking-number", "must not be blank"],
  ["export --exclude-callers callers.txt", "--exclude-callers callers.txt: line 2 is not a phone number"],
  ["export --exclude-callers nowhere.txt", "--exclude-callers", "Cannot read nowhere.txt"],
  ["export --exclude-callers +49305550199", "Cannot use --exclude-callers: it takes a file"],
  ["export --min-cell 1", "from 2 to 1000"],
  ["export --min-cell x", "from 2 to 1000"],
  ["export calls --min-cell 5", "--min-cell applies only to rollups"],
  ["export gclid --min-cell 5", "gclid in them would identify clicks or numbers"],
  ["export --by account,channel --min-cell 5", "--min-cell is for one account"],
  ["export --outcomes --columns return_on_ad_spend", "--columns return_on_ad_spend needs --spend"],
  ["export --columns revenue", "--columns revenue needs --outcomes"],
  ["export --revenue-by job-date", "--revenue-by needs --outcomes"],
  ["export --outcomes --revenue-by job-date --by hour", "cannot be used with hour, which is of the call"],
  [
    "export --outcomes --revenue-by job-date --min-cell 10",
    "adds rows of jobs without calls: not with --min-cell",
  ],
  [`export --outcomes ${CLUSTER}`, "--outcomes cannot be used with --engine"],
  [`export --outcome sold ${CLUSTER}`, "--outcome cannot be used with --engine"],
  ["report --overview", "--overview needs accounts, but no calltally.yaml names any\nLeave it out"],
];

/** The built program finds its pages next to it. */
const DOCS: typeof CASES = [
  ["docs setings", "Cannot show the page setings: no such page\nDid you mean settings?\n"],
  ["docs something-else", "`calltally docs` lists them."],
  ["docs exports", "\nDid you mean figures?\n"],
  ["docs SQL", "\nDid you mean warehouse or cookbook?\n"],
  ["docs slack", "\nDid you mean reports?\n"],
];

describe("invalid input", () => {
  it.each([...CASES, ...(HAS_PROCESSES ? DOCS : [])])(
    "exits with 2, sends and writes nothing: calltally %s",
    async (line, ...says) => {
      using folder = makeFolder(ACCESS);
      folder.write("callers.txt", "+49 30 1234567\nring 030 5550199\n");
      const { code, stdout, stderr } = await folder.run(line);
      for (const words of says) expect(stderr).toContain(words);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).not.toContain(TOKEN);
      expect(stderr.replaceAll(/\D/g, "")).not.toContain("5550199");
      expect(readdirSync(folder.path).sort()).toEqual(["callers.txt"]);
    },
  );

  it.each([
    ["CALLTALLY_BASE_URL", "", "sync", "CALLTALLY_BASE_URL is not set"],
    ["CALLTALLY_BASE_URL", "", "calls", "CALLTALLY_BASE_URL"],
    ["CALLTALLY_SYNC_CRON", "often", "schedule", "CALLTALLY_SYNC_CRON: often is not a cron expression"],
    ["CALLTALLY_EXPORT_CRON", "0 0 31 2 *", "schedule", "CALLTALLY_EXPORT_CRON: 0 0 31 2 * is not"],
  ])("in %s=%s exits with 2 and names what to set: calltally %s", async (name, value, line, says) => {
    using folder = makeFolder({ ...ACCESS, [name]: value });
    expect(await folder.run(line)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(says),
    });
    expect(readdirSync(folder.path)).toEqual([]);
  });
});
