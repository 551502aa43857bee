import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Account, Configuration } from "../../../src/config/accounts.ts";
import { loadSettings, type Settings } from "../../../src/config/load-settings.ts";
import { readConfiguration } from "../../../src/config/read-configuration.ts";
import { importOutcomes } from "../../../src/features/outcomes/import-outcomes.ts";
import { importFiles } from "../../../src/features/spend/import-files.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { markGone, openNewWarehouse, storeCalls, storeRun } from "../warehouses/warehouse.ts";
import { ACCOUNTS, type AccountName, RANGE, RUN, type SceneAccount, UNFINISHED_AT } from "./accounts.ts";
import { missingOf } from "./missing.ts";

export interface Scene {
  folder: string;
  configuration: Configuration;
  /** The path of a warehouse as the file of accounts names it. */
  databaseOf: (name: AccountName) => string;
  /** @param env settings in place of those of the file */
  settingsOf: (name: AccountName, env?: Record<string, string>) => Settings;
}

/** Where the warehouses are; the file of accounts names that of `oahu` by a link. */
const PLACES: Record<AccountName, { at: string; named: string }> = {
  oahu: { at: "data/west.db", named: "oahu.db" },
  chicago: { at: "data/middle/calls.db", named: "data/middle/calls.db" },
  howe: { at: "data/howe.db", named: "data/howe.db" },
};

let built: Scene | undefined;

/** Returns the scene, which is made once: a folder with `calltally.yaml`, three warehouses, their files of rules, spend and jobs. */
export function openScene(): Scene {
  built ??= buildScene();
  return built;
}

/** Makes a scene of its own for a test that changes it. */
export function buildScene(): Scene {
  const { path: folder, remove } = makeTempFolder();
  process.once("exit", remove);
  for (const account of ACCOUNTS) fill(folder, account);
  writeFileSync(join(folder, "a.token"), "t0ken", { mode: 0o600 });
  writeFileSync(join(folder, "hook.url"), "http://127.0.0.1:1/none", { mode: 0o600 });
  writeFileSync(join(folder, "smtp.url"), "smtp://127.0.0.1:1?from=calls@example.com", { mode: 0o600 });
  const yaml = {
    smtp_url_file: join(folder, "smtp.url"),
    reports: {
      weekly: {
        accounts: "all",
        contents: ["channel"],
        range: RANGE,
        compare: "previous",
        spend: true,
        outcomes: true,
        folder: join(folder, "reports/{account}"),
        deliver: [
          { webhook: { url_file: join(folder, "hook.url") } },
          { email: { to: ["ann@example.com"], subject: "{account}: {from} to {to}" } },
        ],
      },
    },
    accounts: Object.fromEntries(ACCOUNTS.map((each) => [each.name, toYaml(folder, each)])),
  };
  writeFileSync(join(folder, "calltally.yaml"), JSON.stringify(yaml), { mode: 0o600 });
  const configuration = readConfiguration(join(folder, "calltally.yaml"), { env: {}, folder });
  const find = (name: AccountName): Account => {
    const account = configuration.accounts.find((each) => each.name === name);
    if (account === undefined) throw new Error(`There is no account ${name}`);
    return account;
  };
  const scene: Scene = {
    folder,
    configuration,
    databaseOf: (name) => join(folder, PLACES[name].named),
    settingsOf: (name, env = {}) => loadSettings({ ...find(name).sources, env }),
  };
  for (const account of ACCOUNTS) importInto(scene, account);
  return scene;
}

function fill(folder: string, account: SceneAccount): void {
  const { name, calls, gone } = account;
  const { at, named } = PLACES[name];
  mkdirSync(dirname(join(folder, at)), { recursive: true });
  {
    using warehouse = openNewWarehouse(join(folder, at));
    const isLate = ({ call_started }: { call_started: string | null }) =>
      (call_started ?? "") > RUN.finishedAt;
    storeRun(
      warehouse,
      calls.filter((call) => !isLate(call)),
      RUN,
    );
    warehouse.sqlite.exec("UPDATE sync_runs SET moment_ms = (SELECT max(changed_ms) FROM call_facts)");
    storeRun(warehouse, [], { startedAt: UNFINISHED_AT });
    storeCalls(warehouse, calls.filter(isLate), { runId: 2 });
    markGone(warehouse, [...gone]);
    const mark = warehouse.sqlite.prepare("UPDATE calls SET missing_since = ? WHERE call_id = ?");
    for (const [id, since] of missingOf(account)) mark.run(since, id);
  }
  if (at !== named) symlinkSync(at, join(folder, named));
}

const toCsv = (rows: readonly (readonly unknown[])[]) =>
  rows.map((row) => `${row.map((value) => value ?? "").join(",")}\n`).join("");

/** Writes the rules of an account into its files and settings. */
function toYaml(folder: string, { name, timezone, rules, currency }: SceneAccount): Record<string, unknown> {
  const put = (file: string, rows: readonly (readonly unknown[])[]) => {
    writeFileSync(join(folder, `${name}-${file}.csv`), toCsv(rows));
    return join(folder, `${name}-${file}.csv`);
  };
  const { aliases, aliases_of = {}, channels, topics, hours } = rules;
  const ofFields = Object.entries(aliases_of).flatMap(([field, values = {}]) =>
    Object.entries(values).map(([raw, value]) => [raw, value, field]),
  );
  return {
    base_url: `https://${name}.example`,
    token_file: join(folder, "a.token"),
    database: join(folder, PLACES[name].named),
    timezone,
    currency,
    answered: rules.answered,
    missed: rules.missed,
    qualified_seconds: rules.qualified_seconds,
    duration_unit: rules.duration_unit,
    aliases: put("aliases", [
      ["raw", "value", "of"],
      ...Object.entries(aliases).map(([raw, value]) => [raw, value, ""]),
      ...ofFields,
    ]),
    channels: put("channels", [
      ["channel", "source", "medium", "campaign", "referrer"],
      ...channels.map((line) => [line.channel, line.source, line.medium, line.campaign, line.referrer]),
    ]),
    topics: put("topics", [
      ["topic", "phrase", "speaker", "qualifies", "value"],
      ...topics.map(({ topic, phrase, speaker, qualifies, value }) => [
        topic,
        phrase,
        speaker,
        qualifies === null ? "" : qualifies ? "yes" : "no",
        value,
      ]),
    ]),
    hours: hours?.week,
    closed: put(
      "closed",
      (hours?.closed ?? []).map((day) => [day]),
    ),
  };
}

/** Imports the files of spend and jobs as the commands do. */
function importInto(
  { folder, settingsOf }: Scene,
  { name, spend, jobs, currency, timezone }: SceneAccount,
): void {
  const settings = settingsOf(name);
  const signal = new AbortController().signal;
  const file = join(folder, `${name}-spend.csv`);
  const header = [
    "day",
    "source",
    "medium",
    "campaign",
    "campaign_id",
    "cost",
    "currency",
    "clicks",
    "impressions",
  ];
  const rows = spend.map((row) => [
    row.day,
    row.source,
    row.medium,
    row.campaign,
    row.campaign_id,
    (row.cost_micros / 1e6).toFixed(2),
    currency,
    row.clicks,
    row.impressions,
  ]);
  writeFileSync(file, toCsv([header, ...rows]));
  importFiles(settings, [file], { map: {}, lines: undefined, named: undefined, signal });
  for (const list of new Set(jobs.map((job) => job.list))) {
    const own = jobs.filter((job) => job.list === list);
    const path = join(folder, `${name}-${list}.csv`);
    const lines = own.map((job) => [
      job.job_id,
      job.call_id,
      job.day,
      job.stage,
      job.amount_micros === null ? "" : (job.amount_micros / 1e6).toFixed(2),
    ]);
    writeFileSync(
      path,
      toCsv(
        [["job id", "call id", "date", "stage", "amount"], ...lines].map((row) =>
          list === "crm" ? row : row.slice(1),
        ),
      ),
    );
    // The second time, each job takes the place of its earlier self.
    for (const _ of [1, 2]) {
      importOutcomes({ ...settings, timezone }, [path], {
        source: list,
        named: currency,
        withinDays: 45,
        map: {},
        stages: new Map(),
      });
    }
  }
}
