import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../src/calls/columns.ts";
import { DIMENSIONS } from "../../src/figures/dimensions.ts";
import { updateRun } from "../../src/warehouse/runs/runs.ts";
import { hasCapability } from "../support/commands.ts";
import { calltally } from "../support/run.ts";
import { type Answering, answering, textsOf } from "../support/services/mcp.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { FULL_CALL } from "../support/warehouses/calls.ts";
import { storeNotice, storeRestatement } from "../support/warehouses/findings.ts";
import { openNewWarehouse, setRules, storeRun } from "../support/warehouses/warehouse.ts";

const STARTED_AT = "2026-10-05T06:00:00.000Z";
const CALLER = "+4930555012345";
const TRACKING = "+4989555067890";
/** The same number and address in notations of visitors, or encoded by programs. */
const SPELLED = [
  CALLER,
  "0049 30 555 012 345",
  "(030) 555-012345",
  "%2B49%2030%20555012345",
  "＋４９３０５５５０１２３４５",
  "call 4930555012345 now",
  "ann.canary@example.com",
  "Ann <ann.canary @ example.com>",
  "ann.canary%40example.com",
];

/** Calls with personal data in every text. */
const CALLS: readonly Call[] = SPELLED.map((personal, index) => ({
  ...FULL_CALL,
  call_id: index + 1,
  caller_id: CALLER,
  tracking_number: TRACKING,
  google_analytics_cid: "canary-browser.1",
  insight_name: personal,
  disposition: personal,
  org_unit_name: personal,
  gclid: personal,
  utm_source: personal,
  utm_medium: personal,
  utm_campaign: personal,
  utm_content: personal,
  utm_term: personal,
  gclsrc: personal,
  campaign_name: personal,
  campaign_id: personal,
  recording_url: `https://canary.example.com/${personal}`,
  referring_url: `https://canary-page.example.com/thanks?tel=${personal}`,
  summary: "canary-summary",
  transcription: "canary-before burst pipe canary-after",
  transcription_details: '[{"channel":"caller","text":"canary-before burst pipe canary-after"}]',
  extra: '{"note":"canary-extra"}',
}));

const CANARY = /canary(?!-page\.example\.com$)|@|＠|burst|555|５５５|0{3}0|[\p{Nd}][\p{Nd} ().-]{8,}\p{Nd}/iu;

function makeFolder() {
  const folder = makeTempFolder();
  writeFileSync(join(folder.path, "calltally.yaml"), "reports:\n  weekly:\n    contents: [channel]\n", {
    mode: 0o600,
  });
  using warehouse = openNewWarehouse(join(folder.path, "data/calltally.db"));
  storeRun(warehouse, CALLS, { startedAt: STARTED_AT, finishedAt: STARTED_AT });
  const topics = [{ topic: "Emergency", phrase: "burst pipe", speaker: null, qualifies: true, value: null }];
  setRules(warehouse, { ...DEFAULT_RULES, topics });
  const restatement = {
    found_at: STARTED_AT,
    starts_at: STARTED_AT,
    ends_at: STARTED_AT,
    exported_at: STARTED_AT,
    ...{
      path: "/out/source.csv",
      contents: "source",
      period: "",
      metric: "calls",
      was: 1,
      now: 2,
      change: 1,
    },
    rules_changed: null,
  };
  const keys = SPELLED.map((personal) => {
    return { source: personal, tracking_number: TRACKING, campaign_id: personal };
  });
  if (hasCapability("restatements"))
    for (const key of keys) storeRestatement(warehouse, { key, reasons: [] }, restatement);
  warehouse.sqlite.exec(`
    INSERT INTO report_runs (report, started_at, status, process) VALUES ('weekly', '${STARTED_AT}', 'done', '1');
    INSERT INTO deliveries (report_run_id, channel, recipient, status, last_error)
      VALUES (1, 'email', 'ann.canary@example.com', 'failed', 'no such box'),
             (1, 'webhook', 'example.com 4930555012345', 'failed', 'unknown ann.canary@example.com');
    INSERT INTO jobs (job, started_at, failing_since, error) VALUES ('sync', '${STARTED_AT}', '${STARTED_AT}', 'bad ${CALLER}');`);
  updateRun(warehouse, 1, { error: null });
  if (hasCapability("notices"))
    for (const { tracking_number, ...campaign } of keys) {
      const notice = {
        ...({ kind: "few", calls: 1, expected: 18.3, run_id: 1 } as const),
        since: STARTED_AT,
        judged_until: STARTED_AT,
        noticed_at: STARTED_AT,
      };
      storeNotice(warehouse, campaign, { ...notice, dimension: "campaign" });
      storeNotice(warehouse, { tracking_number }, { ...notice, dimension: "tracking_number" });
    }
  const env = { CALLTALLY_DATABASE: warehouse.path };
  return { path: folder.path, env, [Symbol.dispose]: () => folder.remove() };
}

type Question = [tool: string, args: Record<string, unknown>];

/** Asks every possible question. */
async function askAll({ ask }: Answering): Promise<Map<string, unknown>> {
  const range = { from: "2026-09-01", to: "2026-09-30" };
  const questions: Question[] = [
    ...DIMENSIONS.map((by): Question => ["figures", { by: [by], total: true }]),
    ...["source", "campaign", "tracking_number", "gclid"].map(
      (by): Question => ["compare", { by: [by], range }],
    ),
    ["figures", { by: ["source", "tracking_number"], compare: "previous", range, top: 2 }],
    ["figures", { by: [], filter: { source: "nobody" } }],
    ...[...CALLS.map(({ call_id }) => call_id), 99].map((call_id): Question => ["explain_call", { call_id }]),
    ["what_changed", {}],
    ["status", {}],
  ];
  const answers = new Map<string, unknown>();
  for (const [name, args] of questions) {
    const answer = await ask(name, args);
    // Only missing objects are named: an error contains nothing personal.
    const isNone = args.call_id === 99 || args.filter !== undefined;
    expect([name, args, typeof answer]).toEqual([name, args, isNone ? "string" : "object"]);
    answers.set(JSON.stringify([name, args]), answer);
  }
  return answers;
}

describe("responses of calltally mcp", () => {
  it("contain no personal data in any text", async () => {
    using folder = makeFolder();
    const assistant = answering(folder.path, { env: folder.env });
    const answers = await askAll(assistant);
    for (const [asked, answer] of answers) {
      const texts = textsOf(answer)
        .filter((text) => !/^(ga4-)?\d{4}-\d\d-\d\d/.test(text))
        // A day, in the program's own sentence.
        .map((text) => text.replace(/^The days compared with begin on \d{4}-\d\d-\d\d,/, ""));
      expect([asked, texts.filter((text) => CANARY.test(text))]).toEqual([asked, []]);
    }
    const byTracking = { by: ["tracking_number"], columns: ["calls"] };
    expect(await assistant.ask("figures", byTracking)).toMatchObject({
      rows: [{ tracking_number: "…7890", calls: SPELLED.length }],
    });
    expect(await assistant.ask("explain_call", { call_id: 7 })).toMatchObject({
      dni: { utm_source: "[looks like a mail address]", gclid: "[looks like a mail address]" },
      topic: "Emergency",
      topic_match: { line: 2, speaker: null },
    });
    expect(await assistant.ask("status")).toMatchObject({
      failures: [
        "[looks like a phone number]",
        "weekly: email to its recipient: failed",
        "weekly: webhook to its recipient: failed",
      ],
    });
  });

  it("contain personal data with --personal-data", async () => {
    using folder = makeFolder();
    const assistant = answering(folder.path, { env: folder.env, sql: true, isPersonal: true });
    const answers = await askAll(assistant);
    const texts = [...answers.values()].flatMap(textsOf);
    for (const personal of [...SPELLED.map((text) => text.toLowerCase()), TRACKING, "canary-browser.1"])
      expect(texts.some((text) => text.toLowerCase() === personal)).toBe(true);
    expect(await assistant.ask("explain_call", { call_id: 1 })).toMatchObject({
      topic_match: { phrase: "burst pipe", words: expect.stringContaining("canary-before") },
    });
    const sql = "SELECT caller_id, summary, transcription FROM attributed_calls LIMIT 1";
    expect(await assistant.ask("query", { sql })).toMatchObject({
      rows: [
        { caller_id: CALLER, summary: "canary-summary", transcription: expect.stringContaining("burst") },
      ],
    });
  });

  it("offer no SQL without --personal-data, since SQL could transform a number", async () => {
    using folder = makeFolder();
    expect(await calltally(["mcp", "--sql"], { cwd: folder.path })).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "calltally: --sql needs --personal-data: SQL can spell a phone number in many ways\n" +
        "Leave out --sql, or give both if the assistant may see callers and transcripts.\n",
    });
  });
});
