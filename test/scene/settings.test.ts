import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { namesOf } from "../../src/base/records.ts";
import type { AttributionRules } from "../../src/calls/attribution/attribution-rules.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { ACCOUNTS, RANGE, type SceneAccount } from "../support/scene/accounts.ts";
import { alike, askScene } from "../support/scene/ask.ts";
import { openScene } from "../support/scene/build.ts";
import { type Asked, figuresOf } from "../support/scene/oracle.ts";

/** Settings of figures, each with a value of another account, and the rules that follow. */
const RULE_SETTINGS: readonly (readonly [
  setting: keyof typeof SETTINGS,
  env: (other: string) => string,
  rules: (other: SceneAccount) => Partial<AttributionRules>,
])[] = [
  ["answered", () => "busy,failed", () => ({ answered: ["busy", "failed"] })],
  ["missed", () => "spoke,connected,answered", () => ({ missed: ["spoke", "connected", "answered"] })],
  ["qualifiedSeconds", () => "101", () => ({ qualified_seconds: 101 })],
  ["durationUnit", () => "milliseconds", () => ({ duration_unit: "milliseconds" })],
  ["durationUnit", () => "seconds", () => ({ duration_unit: "seconds" })],
  [
    "aliasesFile",
    (other) => `${other}-aliases.csv`,
    ({ rules: { aliases, aliases_of } }) => ({ aliases, aliases_of }),
  ],
  ["channelsFile", (other) => `${other}-channels.csv`, ({ rules: { channels } }) => ({ channels })],
  ["topicsFile", (other) => `${other}-topics.csv`, ({ rules: { topics } }) => ({ topics })],
];

/** Settings that decide no figure of calls that are stored already. */
const OTHER_SETTINGS = [
  ...[
    "baseUrl",
    "tokenFile",
    "token",
    "orgUnitId",
    "exportDir",
    "title",
    "logo",
    "locale",
    "browser",
    "limit",
    "concurrency",
  ],
  ...[
    "timeoutSeconds",
    "retrySeconds",
    "lookbackHours",
    "fullEveryHours",
    "checkEveryHours",
    "goneAfterHours",
  ],
  ...["recordingSignature", "keepTranscripts", "keepSummaries", "keepCallerNumbers", "keepRecordingUrls"],
  ...[
    "publishTo",
    "publishUser",
    "publishPasswordFile",
    "publishPersonalData",
    "publishAfterSync",
    "notices",
    "insightIds",
  ],
  ...[
    "syncCron",
    "exportCron",
    "insightsCron",
    "jitterSeconds",
    "jobMinutes",
    "heartbeatUrlFile",
    "heartbeatUrl",
  ],
  ...["heartbeatFailures", "logLevel", "currency"],
];

describe("settings of the scene decide its figures", () => {
  const asked: Asked = { by: ["channel", "topic"], range: RANGE, compare: "previous" };

  it.each(RULE_SETTINGS)("%s", async (setting, textOf, rulesOf) => {
    let changed = 0;
    for (const [place, account] of ACCOUNTS.entries()) {
      const other = ACCOUNTS[(place + 1) % ACCOUNTS.length] ?? account;
      const text = textOf(join(openScene().folder, other.name));
      const { rows } = await askScene(account.name, asked, { env: { [SETTINGS[setting].env]: text } });
      const expected = figuresOf({ ...account, rules: { ...account.rules, ...rulesOf(other) } }, asked);
      expect(alike(rows, expected), account.name).toEqual(expected);
      if (JSON.stringify(expected) !== JSON.stringify(figuresOf(account, asked))) changed++;
    }
    expect(changed).toBeGreaterThan(0);
  });

  it.each([
    { setting: "hours", text: "Sat-Sun 00:00-24:00", hours: { week: "Sat-Sun 00:00-24:00" } },
    { setting: "closedFile", text: "none", hours: { closed: [] } },
  ] as const)("$setting", async ({ setting, text, hours }) => {
    writeFileSync(join(openScene().folder, "none.csv"), "\n");
    const value = text === "none" ? join(openScene().folder, "none.csv") : text;
    for (const account of ACCOUNTS) {
      const { rules } = account;
      if (rules.hours === undefined) throw new Error("The account has no hours");
      const { rows } = await askScene(
        account.name,
        { by: ["in_hours"] },
        { env: { [SETTINGS[setting].env]: value } },
      );
      const expected = figuresOf(
        { ...account, rules: { ...rules, hours: { ...rules.hours, ...hours } } },
        { by: ["in_hours"] },
      );
      expect(alike(rows, expected), account.name).toEqual(expected);
      expect(expected, account.name).not.toEqual(figuresOf(account, { by: ["in_hours"] }));
    }
  });

  it.each<Asked>([
    { by: ["in_hours", "hour"], range: RANGE },
    { by: ["source"], range: RANGE, grain: "day", spend: true, outcomes: true, revenue_by: "job-date" },
  ])("timezone, for days, hours and opening hours, as in %j", async (moved) => {
    const timezone = "Asia/Kathmandu";
    for (const account of ACCOUNTS) {
      const { rows } = await askScene(account.name, moved, { env: { [SETTINGS.timezone.env]: timezone } });
      const { hours } = account.rules;
      const rules = { ...account.rules, ...(hours && { hours: { ...hours, timezone } }) };
      const expected = figuresOf({ ...account, rules, timezone }, moved);
      expect(alike(rows, expected), account.name).toEqual(expected);
      expect(expected).not.toEqual(figuresOf(account, moved));
    }
  });

  it("database decides whose calls they are", async () => {
    const scene = openScene();
    const asked: Asked = { by: ["channel"], range: RANGE };
    const callsOf = (rows: readonly Readonly<Record<string, unknown>>[]) => rows.map(({ calls }) => calls);
    for (const [place, account] of ACCOUNTS.entries()) {
      const other = ACCOUNTS[(place + 1) % ACCOUNTS.length] ?? account;
      const env = { [SETTINGS.database.env]: scene.databaseOf(other.name) };
      const { rows } = await askScene(account.name, asked, { env });
      const { timezone, rules } = account;
      const expected = figuresOf({ ...other, timezone, rules }, asked);
      expect(callsOf(rows), account.name).toEqual(callsOf(expected));
      expect(callsOf(expected)).not.toEqual(callsOf(figuresOf(account, asked)));
      await askScene(other.name, asked); // its own rules apply again
    }
  });

  it("the settings of the scene are those of the program", () => {
    const tested = [
      ...RULE_SETTINGS.map(([setting]) => setting),
      "hours",
      "closedFile",
      "timezone",
      "database",
    ];
    expect([...new Set([...tested, ...OTHER_SETTINGS])].sort()).toEqual(namesOf(SETTINGS).sort());
  });
});
