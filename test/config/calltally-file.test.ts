import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { problemOf, UsageError } from "../../src/base/errors.ts";
import { chooseAccounts, findFile } from "../../src/config/accounts.ts";
import { readCalltallyFile } from "../../src/config/calltally-file.ts";
import { loadSettings } from "../../src/config/load-settings.ts";
import { readConfiguration } from "../../src/config/read-configuration.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

interface Given {
  yaml: string | Buffer;
  env?: Record<string, string>;
  dotenv?: string;
  mode?: number;
  /** Files next to it, by name. */
  files?: Record<string, string>;
  path?: string;
}

/** Reads a configuration in a folder of its own, and returns the result of `look`. */
function read<T>(
  given: Given,
  look: (configuration: ReturnType<typeof readConfiguration>, folder: string) => T,
): T {
  const { yaml, env = {}, dotenv, mode = 0o644, files = {}, path = "calltally.yaml" } = given;
  using folder = makeTempFolder();
  const file = join(folder.path, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, yaml);
  chmodSync(file, mode);
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder.path, name), text, { mode: 0o600 });
  if (dotenv !== undefined) writeFileSync(join(folder.path, ".env"), dotenv);
  return look(readConfiguration(path, { env, folder: folder.path }), folder.path);
}

/** Returns the lines of the error. */
function problemsOf(given: Given): string[] {
  try {
    read(given, () => undefined);
  } catch (error) {
    if (error instanceof UsageError) return error.message.split("\n");
    throw error;
  }
  return [];
}

const ACME = `accounts:
  acme:
    base_url: https://api.example.com
    token_file: acme.token
`;
const TWO = `${ACME}  beta:
    base_url: https://beta.example.com
    token_file: beta.token
`;

describe("readConfiguration", () => {
  it("reports all problems at the same time: position, allowed values, and suggestion", () => {
    const yaml = `timezone: America/Chicag
limt: 5
accounts:
  acme:
    token_file: secrets/
    token: abc
    concurrency: 99
    retry_seconds: many
    answered: [yes, "a,b"]
    org_unit_id: [1]
  ACME:
    base_url: http://api.example.com
    token_file: x
reports:
  weekly:
    accounts: [acm]
    contents: [channel, utm_campaing]
    range: { last: 4weeks }
    grain: weak
    filter: { channel: Paid Search, first_time: yes }
    folder: reports/{acount}
    deliver:
      - email: { to: [marketing] }
      - webhook: { url: https://hooks.example.com }
      - {}
  ../up: {}
doorbell: { secret_file: s, account: beta }
`;
    expect(problemsOf({ yaml })).toEqual([
      "Cannot use calltally.yaml",
      "calltally.yaml:1:11: timezone: America/Chicag is not an IANA time zone; did you mean America/Chicago?",
      "calltally.yaml:2:1: limt: is not a known key; did you mean limit?",
      "calltally.yaml:4:3: accounts.acme: has no base_url, and the top of the file has none",
      "calltally.yaml:5:17: accounts.acme.token_file: must be a file, but ends like a folder",
      "calltally.yaml:6:5: accounts.acme.token: is a secret, and does not belong in this file: name a file that contains it, with token_file",
      "calltally.yaml:7:18: accounts.acme.concurrency: must be a whole number from 1 to 32",
      'calltally.yaml:8:20: accounts.acme.retry_seconds: must be a number, not "many"',
      "calltally.yaml:9:21: accounts.acme.answered[1]: must not contain a comma: each value is a separate item",
      "calltally.yaml:10:18: accounts.acme.org_unit_id: must be a text or a number, not a list",
      "calltally.yaml:11:3: accounts.ACME: differs from another account only in case, and would share its folder",
      "calltally.yaml:12:15: accounts.ACME.base_url: must start with https:// (http:// only for this machine), because each request contains the token",
      'calltally.yaml:16:16: reports.weekly.accounts[0]: "acm" is not one of acme, ACME; did you mean acme?',
      expect.stringMatching(
        /^calltally\.yaml:17:25: reports\.weekly\.contents\[1\]: "utm_campaing" is not one of utm_source, .*; did you mean utm_campaign\?$/,
      ),
      expect.stringMatching(/^calltally\.yaml:18:20: reports\.weekly\.range\.last: .*did you mean 4w\?$/),
      expect.stringMatching(
        /^calltally\.yaml:19:12: reports\.weekly\.grain: "weak" is not one of day, week, .*did you mean week\?$/,
      ),
      'calltally.yaml:20:49: reports.weekly.filter.first_time: must be true or false, not "yes"',
      "calltally.yaml:21:13: reports.weekly.folder: {acount} is not one of {account}, {report}, {from}, {to}, {period}, {date}; did you mean {account}?",
      "calltally.yaml:23:23: reports.weekly.deliver[0].email.to[0]: must be one plain mail address, such as marketing@northwind.example",
      "calltally.yaml:24:18: reports.weekly.deliver[1].webhook.url_file: is missing",
      "calltally.yaml:24:20: reports.weekly.deliver[1].webhook.url: is not a known key; did you mean url_file?",
      "calltally.yaml:25:9: reports.weekly.deliver[2]: must have one of email, webhook, command and to",
      "calltally.yaml:26:3: reports.../up: must be letters, digits, - and _, at most 64, the first a letter or digit",
      'calltally.yaml:27:38: doorbell.account: "beta" is not one of acme, ACME',
    ]);
  });

  it.each([
    ["folder: 'reports/{ account }'", "{ account } is not one of"],
    ["folder: 'reports/{account'", "{account is not one of"],
    ["deliver: [{ command: [cp, '{foldr}'] }]", "did you mean {folder}?"],
  ])("refuses the invalid placeholder in %s", (text, says) => {
    expect(problemsOf({ yaml: `reports:\n  weekly:\n    contents: [channel]\n    ${text}\n` })).toEqual([
      "Cannot use calltally.yaml",
      expect.stringContaining(says),
    ]);
  });

  it.each([
    ["base_url: 'https://{account}.example.com'", "base_url"],
    ["aliases: '{ account }.csv'", "aliases"],
    ["doorbell: { secret_file: '{account}' }", "doorbell.secret_file"],
    [
      "accounts: { acme: { base_url: https://a.example, token_file: '{account}.token' } }",
      "accounts.acme.token_file",
    ],
    [
      "reports: { weekly: { filter: { exclude_callers: ['{account}.txt'] } } }",
      "reports.weekly.filter.exclude_callers[0]",
    ],
    ["reports: { weekly: { conversion: { name: '{report}' } } }", "reports.weekly.conversion.name"],
    [
      "reports: { weekly: { deliver: [{ email: { to: ['{account}@client.example'] } }] } }",
      "reports.weekly.deliver[0].email.to[0]",
    ],
    [
      "reports: { weekly: { deliver: [{ command: ['{account}.sh'] }] } }",
      "reports.weekly.deliver[0].command[0]",
    ],
  ])("refuses a placeholder where none is filled in: %s", (yaml, place) => {
    expect(problemsOf({ yaml })).toEqual([
      "Cannot use calltally.yaml",
      expect.stringMatching(
        /: (\S+): \{ ?(account|report) ?\} is not filled in here: only a report's folder, subject/,
      ),
    ]);
    expect(problemsOf({ yaml })[1]).toContain(`: ${place}: `);
  });

  it("fills in placeholders of a report, and does not change values of calls", () => {
    const deliver =
      "[{ email: { to: [a@b.example], subject: '{account} {period}' } }, { command: [cp, '{folder}', '{account}'] }]";
    const report = `{ folder: 'x/{account}', filter: { campaign: '{campaign}' }, deliver: ${deliver} }`;
    expect(problemsOf({ yaml: `reports: { weekly: ${report} }` })).toEqual([]);
  });

  const MAIL = "{ email: { to: [a@b.example] } }";
  const WITH = "base_url: https://a.example, token_file: t, recipients: [{ email: { to: [c@d.example] } }]";
  const beta = (mail: string) => WITH.replace("c@d.example", mail).replace(" t,", " u,");
  const BOTH_WITH = `accounts: { acme: { ${WITH} }, beta: { ${beta("e@f.example")} } }\n`;
  const SAME = `accounts: { acme: { ${WITH} }, beta: { ${beta("C@D.example")} } }\n`;
  const HOOK = "{ webhook: { url_file: hook.url } }";
  const SHARED =
    ": reports.weekly.deliver[0]: would get the figures of 2 accounts: make a report for each account, send it to: account, or set accounts: all in this one if its recipients may see every account";

  it.each([
    { accounts: TWO, report: `deliver: [${MAIL}]`, says: SHARED },
    { accounts: TWO, report: `deliver: [${HOOK}]`, says: SHARED },
    { accounts: TWO, report: "deliver: [{ command: [send, '{folder}'] }]", says: SHARED },
    { accounts: TWO, report: `accounts: [acme, beta], deliver: [${MAIL}]`, says: SHARED },
    { accounts: TWO, report: `deliver: [{ command: [send, '{account}'] }, ${MAIL}]`, says: "deliver[1]" },
    { accounts: TWO, report: `accounts: acme, deliver: [${MAIL}]`, says: "must be all, or a list" },
    { accounts: TWO, report: `accounts: all, deliver: [${MAIL}]` },
    { accounts: TWO, report: `accounts: [acme], deliver: [${MAIL}]` },
    { accounts: TWO, report: "deliver: [{ command: [send, 'remote:{account}'] }]" },
    { accounts: ACME, report: `deliver: [${MAIL}]` },
    { accounts: "", report: `deliver: [${MAIL}]` },
    {
      accounts: TWO,
      report: "deliver: [{ to: account }]",
      says: ": reports.weekly.deliver[0].to: needs recipients below accounts.acme, accounts.beta",
    },
    {
      accounts: "",
      report: "deliver: [{ to: account }]",
      says: ": reports.weekly.deliver[0].to: needs accounts with recipients: the file names none",
    },
    { accounts: TWO, report: "deliver: [{ to: everybody }]", says: '"everybody" is not one of account' },
    { accounts: BOTH_WITH, report: "deliver: [{ to: account }]" },
    {
      accounts: SAME,
      report: "deliver: [{ to: account }]",
      says: ": accounts.beta.recipients[0]: is also a recipient of acme, and would get the figures of both",
    },
    { accounts: SAME, report: "accounts: all, deliver: [{ to: account }]" },
    { accounts: BOTH_WITH, report: `deliver: [{ to: account }, ${MAIL}]`, says: "deliver[1]" },
  ])("refuses one recipient for several accounts: $report", ({ accounts, report, says }) => {
    const problems = problemsOf({ yaml: `${accounts}reports: { weekly: { ${report} } }` }).slice(1);
    if (says === undefined) expect(problems).toEqual([]);
    else expect(problems.join("\n")).toContain(says);
  });

  it("applies the defaults to reports unless they have their own keys", () => {
    using folder = makeTempFolder();
    const yaml = `defaults:
  reports: { cron: '0 7 * * 1', contents: [channel], filter: { source: google } }
reports:
  weekly:
  daily: { cron: '0 7 * * *', filter: { channel: Direct } }
`;
    writeFileSync(join(folder.path, "calltally.yaml"), yaml, { mode: 0o600 });
    const { content, placeOf } = readCalltallyFile("calltally.yaml", folder.path);
    expect(content.reports).toEqual({
      weekly: { cron: "0 7 * * 1", contents: ["channel"], filter: { source: "google" } },
      daily: { cron: "0 7 * * *", contents: ["channel"], filter: { channel: "Direct" } },
    });
    expect(placeOf(["reports", "weekly", "cron"])).toBe("calltally.yaml:2:20: defaults.reports.cron");
    expect(placeOf(["reports", "daily", "cron"])).toBe("calltally.yaml:5:18: reports.daily.cron");
  });

  it("gives accounts the address and token of the defaults, unless they have their own address", () => {
    using folder = makeTempFolder();
    const yaml = `defaults:
  accounts: { base_url: https://api.example.com, token_file: agency.token }
accounts:
  austin: { org_unit_id: '18' }
  dallas: { org_unit_id: 17, timezone: America/Chicago }
  elsewhere: { base_url: https://other.example.com, token_file: other.token }
`;
    writeFileSync(join(folder.path, "calltally.yaml"), yaml, { mode: 0o600 });
    const { content, placeOf } = readCalltallyFile("calltally.yaml", folder.path);
    const agency = { base_url: "https://api.example.com", token_file: "agency.token" };
    expect(content.accounts).toEqual({
      austin: { ...agency, org_unit_id: "18" },
      dallas: { ...agency, org_unit_id: 17, timezone: "America/Chicago" },
      elsewhere: { base_url: "https://other.example.com", token_file: "other.token" },
    });
    expect(placeOf(["accounts", "austin", "token_file"])).toBe(
      "calltally.yaml:2:62: defaults.accounts.token_file",
    );
    expect(placeOf(["accounts", "dallas", "org_unit_id"])).toBe(
      "calltally.yaml:5:26: accounts.dallas.org_unit_id",
    );
  });

  const AGENCY = "base_url: https://api.example.com, token_file: agency.token";

  it.each([
    [
      "austin: { org_unit_id: 1 }, dallas: { base_url: https://other.example.com }",
      "accounts.dallas.token_file: is missing",
    ],
    [
      "austin: { org_unit_id: 1 }, dallas: {}",
      "accounts.dallas: needs a number as org_unit_id: it has the token of defaults.accounts",
    ],
    [
      "austin: { org_unit_id: '17' }, dallas: { org_unit_id: 17 }",
      "accounts.dallas.org_unit_id: is also that of austin",
    ],
    [
      "austin: { org_unit_id: 1 }, dallas: { org_unit_id: dallas }",
      "accounts.dallas: needs a number as org_unit_id: it has",
    ],
    ["austin: "],
    ["austin: { token_file: a.token }, dallas: { token_file: b.token }"],
  ])("checks who gets the token of the defaults: %s", (accounts, ...says) => {
    const yaml = `defaults: { accounts: { ${AGENCY} } }\naccounts: { ${accounts} }\n`;
    expect(problemsOf({ yaml }).slice(1)).toEqual(says.map((text) => expect.stringContaining(text)));
  });

  it.each([
    [`${AGENCY}, database: calls.db`, "defaults.accounts.database: is not a known key"],
    ["token_file: agency.token", "defaults.accounts: must have both base_url and token_file: a token is for"],
  ])("refuses %s as the defaults of accounts", (defaults, says) => {
    const account = "austin: { base_url: https://api.example.com, token_file: own.token }";
    const yaml = `defaults: { accounts: { ${defaults} } }\naccounts: { ${account} }\n`;
    expect(problemsOf({ yaml }).slice(1)).toEqual([expect.stringContaining(says)]);
  });

  const OWN = "base_url: https://api.example.com, token_file: secrets/agency.token";

  it.each([
    {
      accounts: `austin: { ${OWN} }, dallas: { ${OWN.replace("secrets", "./secrets")}, org_unit_id: 2 }`,
      says: ["accounts.austin: needs a number as org_unit_id: it has the token of dallas, which may read"],
    },
    {
      accounts: `austin: { ${OWN}, org_unit_id: 2 }, dallas: { ${OWN}, org_unit_id: '02' }`,
      says: ["accounts.dallas.org_unit_id: is also that of austin"],
    },
    { accounts: `austin: { ${OWN}, org_unit_id: 1 }, dallas: { ${OWN}, org_unit_id: 2 }`, says: [] },
    { accounts: `austin: { ${OWN} }, dallas: { ${OWN.replace("api.", "other.")} }`, says: [] },
  ])("refuses accounts with one token and the same calls: $accounts", ({ accounts, says }) => {
    const problems = problemsOf({ yaml: `accounts: { ${accounts} }\n` }).slice(1);
    expect(problems).toEqual(says.map((text) => expect.stringContaining(text)));
  });

  it.each<{ dallas: string; unit?: string; token?: string; link?: (file: string, name: string) => void }>([
    { dallas: "token_file: dallas.token" },
    { dallas: "token_file: dallas.token", token: "t0ken-of-austin\r\n" },
    { dallas: "token_file: dallas.token", link: symlinkSync },
    { dallas: "token_file: dallas.token", link: linkSync },
    { dallas: "token_file: dallas.token, base_url: 'https://API.example.com:443/'" },
    { dallas: "token_file: dallas.token", unit: "org_unit_id: 17" },
  ])("refuses two token files with one token and the same calls: %j", ({ dallas, unit, token, link }) => {
    const refused = (files: Record<string, string>) => {
      using folder = makeTempFolder();
      const yaml = `base_url: https://api.example.com
accounts: { austin: { token_file: austin.token }, dallas: { ${[dallas, unit].filter(Boolean).join()} } }\n`;
      for (const [name, text] of Object.entries({ ...files, "calltally.yaml": yaml }))
        writeFileSync(join(folder.path, name), text, { mode: 0o600 });
      const dallasFile = join(folder.path, "dallas.token");
      if (files["dallas.token"] === undefined) link?.(join(folder.path, "austin.token"), dallasFile);
      return problemOf(() => readConfiguration("calltally.yaml", { env: {}, folder: folder.path })) ?? "";
    };
    const austin = { "austin.token": "t0ken-of-austin\n" };
    const same = link === undefined ? { "dallas.token": token ?? "t0ken-of-austin" } : {};
    const says = refused({ ...austin, ...same });
    expect(says).toContain("accounts.austin: needs a number as org_unit_id: it has the token of dallas");
    expect(says).not.toContain("t0ken");
    expect(refused({ ...austin, "dallas.token": "t0ken-of-dallas" })).toBe("");
  });

  it.each([
    { dallas: "token_file: dallas.token, org_unit_id: 18" },
    { dallas: "token_file: dallas.token, base_url: https://other.example.com" },
  ])("takes one token in two files for other calls: $dallas", ({ dallas }) => {
    const austin = "token_file: austin.token, org_unit_id: 17";
    const yaml = `base_url: https://api.example.com\naccounts: { austin: { ${austin} }, dallas: { ${dallas} } }\n`;
    const files = { "austin.token": "t0ken-of-both", "dallas.token": "t0ken-of-both" };
    expect(problemsOf({ yaml, files })).toEqual([]);
  });

  it("takes token files that do not exist yet, and empty ones, as different", () => {
    const files = { "acme.token": "", "beta.token": " \n" };
    const yaml = TWO.replace("beta.example", "api.example");
    expect(problemsOf({ yaml })).toEqual([]);
    expect(problemsOf({ yaml, files })).toEqual([]);
  });

  it("reports a problem of the defaults once, at its position", () => {
    const yaml = `defaults:
  reports: { corn: x, accounts: [acme], grain: weak, on_restatement: deliver }
reports: { weekly: {}, daily: { grain: day } }
`;
    expect(problemsOf({ yaml }).slice(1)).toEqual([
      "calltally.yaml:2:14: defaults.reports.corn: is not a known key; did you mean cron?",
      'calltally.yaml:2:34: defaults.reports.accounts[0]: "acme" is not an account: the file names none',
      expect.stringMatching(/^calltally.yaml:2:48: defaults.reports.grain: "weak" is not one of/),
      expect.stringContaining("reports.daily: on_restatement needs cron and deliver"),
    ]);
  });

  it.each([
    { keys: "", says: "needs personal_data: true: its mails are about single callers" },
    { keys: "personal_data: false,", says: "needs personal_data: true: its mails are about single callers" },
    { keys: "personal_data: true, deliver: [{ command: [cat] }],", says: "needs a mail below deliver" },
    { keys: "personal_data: true, min_cell: 5,", says: "cannot go with min_cell" },
    { keys: "personal_data: true, engine: 'clickhouse://c.example/d',", says: "cannot go with engine" },
  ])("refuses a list of callers to ring back with: $keys", ({ keys, says }) => {
    const mail = keys.includes("deliver") ? "" : `deliver: [${MAIL}],`;
    const yaml = `reports: { weekly: { ${keys} ${mail} ring_back: numbers } }`;
    expect(problemsOf({ yaml }).slice(1)).toEqual([
      expect.stringContaining(`reports.weekly: ring_back ${says}`),
    ]);
  });

  it("takes a list of callers to ring back with a mail and personal_data", () => {
    const yaml = `reports: { weekly: { personal_data: true, deliver: [${MAIL}], ring_back: times } }`;
    expect(problemsOf({ yaml })).toEqual([]);
  });

  it("refuses a recipient in the defaults for the reports of several accounts", () => {
    const defaults = `defaults: { reports: { deliver: [${MAIL}] } }\n`;
    const ofBoth = `${TWO}${defaults}reports: { one: { accounts: [acme] }, two: { accounts: [beta] } }`;
    expect(problemsOf({ yaml: ofBoth }).slice(1)).toEqual([
      expect.stringContaining("defaults.reports.deliver[0]: would get the figures of 2 accounts"),
    ]);
    const all = `${TWO}${defaults}reports: { one: { accounts: all }, two: { accounts: all } }`;
    expect(problemsOf({ yaml: all })).toEqual([]);
    const ofOne = `${TWO}${defaults}reports: { one: { accounts: [acme] }, two: { accounts: [acme] } }`;
    expect(problemsOf({ yaml: ofOne })).toEqual([]);
  });

  it("keeps other braces in a command", () => {
    const yaml = `reports:\n  weekly:\n    deliver: [{ command: [awk, '{ print $1 }', '{file}'] }]\n`;
    expect(problemsOf({ yaml })).toEqual([]);
  });

  const BOMB = `a: &a [x, x]\n${"bcdefgh"
    .split("")
    .map((key, index) => `${key}: &${key} [*${"abcdefg"[index]}, *${"abcdefg"[index]}]`)
    .join("\n")}`;

  it.each<[name: string, yaml: string | Buffer, says: string]>([
    ["an empty file", "", "it is empty"],
    ["only comments", `${"#".repeat(100_000)}\n`, "it is empty"],
    ["UTF-16", Buffer.from("accounts:", "utf16le"), "it is not UTF-8 text"],
    ["a file that is too large", "#".repeat(1_000_001), "it is larger than 1000000 bytes"],
  ])("refuses %s", (_, yaml, says) => {
    expect(problemsOf({ yaml })).toEqual([`Cannot use calltally.yaml: ${says}`]);
  });

  it.each<[name: string, yaml: string, ...says: string[]]>([
    ["a list", "- a", "1:1: must be keys and values, not a list"],
    ["a tab", "accounts:\n\tacme: 1", "2:1: Tabs are not allowed as indentation"],
    ["a duplicate key", "limit: 5\nlimit: 6", "2:1: Map keys must be unique"],
    [
      "two documents",
      "limit: 5\n---\nlimit: 6",
      "2:1: a second document begins here (---): only one is allowed",
    ],
    ["a key that is not text", "? { limit: 5 }\n: 6", "1:3: a key must be a text"],
    ["a number that reads differently", "limit: 0x10", "1:8: 0x10 is an ambiguous number"],
    [
      "__proto__",
      "__proto__: { limit: 5 }\nconstructor: 1",
      "1:1: __proto__: is not a known key",
      "2:1: constructor: is not a known key",
    ],
    [
      "an account and a report called __proto__",
      `${ACME}  __proto__: { base_url: https://x, token_file: t }\nreports:\n  __proto__: { by: channel }`,
      "accounts.__proto__: must be letters, digits, - and _",
      "reports.__proto__: must be letters, digits, - and _",
    ],
    ["a secret", `${ACME}    heartbeat_url: https://x`, "heartbeat_url: is a secret, and does not belong in"],
  ])("refuses %s, and names its place", (_, yaml, ...says) => {
    expect(problemsOf({ yaml }).slice(1)).toEqual(says.map((text) => expect.stringContaining(text)));
  });

  it("refuses aliases, even many of them, and hints at quotes for a bare star", () => {
    expect(problemsOf({ yaml: BOMB })[1]).toMatch(/^calltally.yaml:2:\d+: aliases \(\*name\) are not read$/);
    expect(problemsOf({ yaml: "sync_cron: * * * * *" })[1]).toMatch(
      /^calltally.yaml:1:12: text that begins with \* must be in quotes/,
    );
  });

  it("refuses a file that others can write", () => {
    for (const mode of [0o664, 0o646]) {
      expect(problemsOf({ yaml: ACME, mode })).toEqual([
        "Cannot use calltally.yaml: other users can write it, though it decides where the token goes and what is run",
      ]);
    }
  });

  it("prefers flags, the environment, .env, the account and the top of the file to defaults", () => {
    const yaml = `limit: 500
concurrency: 2
timezone: Europe/Berlin
qualified_seconds: 30
answered: [answered, transferred, picked up]
${TWO}    timezone: Europe/Paris
    qualified_seconds: 45
    retry_seconds: 7
    org_unit_id: 7
    insight_ids: [101, 102]
`;
    const settings = read(
      {
        yaml,
        env: { CALLTALLY_CONCURRENCY: "3" },
        dotenv: "CALLTALLY_QUALIFIED_SECONDS=60",
        files: { "acme.token": "a\n", "beta.token": "b\n" },
      },
      ({ accounts }, folder) =>
        accounts.map(({ name, sources }) => {
          const file = (sources.file ?? []).map(({ values, ...layer }) => {
            const token = values.CALLTALLY_TOKEN_FILE;
            const found = token === undefined ? {} : { CALLTALLY_TOKEN_FILE: join(folder, token) };
            return { ...layer, values: { ...values, ...found } };
          });
          return { name, ...loadSettings({ ...sources, file, flags: { CALLTALLY_LIMIT: "9" } }) };
        }),
    );
    const shared = { limit: 9, concurrency: 3, rules: { qualified_seconds: 60 } };
    expect(settings).toMatchObject([
      {
        name: "acme",
        token: "a",
        ...shared,
        timezone: "Europe/Berlin",
        retrySeconds: 120,
        orgUnitId: undefined,
        insightIds: [],
        database: "data/acme/calltally.db",
        exportDir: "data/acme/exports",
      },
      {
        name: "beta",
        token: "b",
        ...shared,
        timezone: "Europe/Paris",
        retrySeconds: 7,
        orgUnitId: "7",
        insightIds: [101, 102],
        database: "data/beta/calltally.db",
        exportDir: "data/beta/exports",
      },
    ]);
  });

  it("resolves relative paths from the folder of the file", () => {
    read(
      {
        yaml: `aliases: rules/aliases.csv\n${ACME}    export_dir: out\n`,
        path: "conf/calltally.yaml",
        files: { "conf/acme.token": "t" },
      },
      ({ accounts }, folder) => {
        const settings = accounts.map((account) => loadSettings(account.sources));
        expect(settings).toMatchObject([
          {
            token: "t",
            database: join(folder, "conf/data/acme/calltally.db"),
            exportDir: join(folder, "conf/out"),
            aliasesFile: join(folder, "conf/rules/aliases.csv"),
          },
        ]);
      },
    );
  });

  it.each([
    "BASE_URL",
    "TOKEN",
    "TOKEN_FILE",
    "DATABASE",
    "ORG_UNIT_ID",
    "EXPORT_DIR",
    "INSIGHT_IDS",
    "HEARTBEAT_URL",
  ])(
    "refuses CALLTALLY_%s in addition to accounts, in the environment or .env, and accepts it without accounts",
    (setting) => {
      const name = `CALLTALLY_${setting}`;
      const says = (where: string) => [`Cannot use ${name} in ${where}: calltally.yaml names the accounts`];
      expect(problemsOf({ yaml: ACME, env: { [name]: "1" } })).toEqual(says("the environment"));
      expect(problemsOf({ yaml: ACME, dotenv: `${name}=1` })).toEqual(says(".env"));
      expect(problemsOf({ yaml: "limit: 5", env: { [name]: "1" } })).toEqual([]);
    },
  );

  it.each([
    { env: { CALLTALLY_TOKEN: "1" }, hint: "Unset it; each account has its own token_file" },
    {
      env: { CALLTALLY_BASE_URL: "1", CALLTALLY_TOKEN: "1", CALLTALLY_TOKEN_FILE: "1" },
      hint: "Unset them; each account has its own base_url, token_file",
    },
    { env: { CALLTALLY_HEARTBEAT_URL: "1" }, hint: "Unset it; each account has its own heartbeat_url_file" },
  ])("names the keys that replace $env with accounts", ({ env, hint }) => {
    expect(() => read({ yaml: ACME, env }, () => undefined)).toThrow(
      expect.objectContaining({ hint: `${hint} in calltally.yaml.` }),
    );
  });

  it("refuses two accounts with one warehouse, even under different names", () => {
    using folder = makeTempFolder();
    mkdirSync(join(folder.path, "real"));
    symlinkSync(join(folder.path, "real"), join(folder.path, "link"));
    const yaml = `${ACME}    database: ${folder.path}/real/calls.db
  beta: { base_url: https://b.example.com, token_file: t, database: ${folder.path}/link/calls.db }
`;
    expect(problemsOf({ yaml })[1]).toMatch(
      /^calltally.yaml:6:\d+: accounts.beta.database: .*link\/calls.db is also the warehouse of acme$/,
    );
  });

  it("refuses two accounts with one export folder, explicit or by default", () => {
    const yaml = `${ACME}  beta: { base_url: https://b.example.com, token_file: t, export_dir: data/acme/exports }
`;
    expect(problemsOf({ yaml })[1]).toMatch(
      /^calltally.yaml:5:\d+: accounts.beta.export_dir: data\/acme\/exports is also the export folder of acme$/,
    );
  });

  it("names a folder that was given as the file", () => {
    using folder = makeTempFolder();
    expect(() => readConfiguration(".", { env: {}, folder: folder.path })).toThrow(
      `Cannot use ${folder.path}: it is not a file`,
    );
  });

  it("refuses a token that others can read; a group may read a file of root", () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "acme.token");
    writeFileSync(file, "t");
    const tokenOf = (mode: number) => {
      chmodSync(file, mode);
      return read({ yaml: ACME.replace("acme.token", file) }, ({ accounts }) =>
        accounts.map((account) => loadSettings(account.sources).token),
      );
    };
    expect(tokenOf(0o600)).toEqual(["t"]);
    for (const mode of [0o604, 0o640, 0o644]) {
      expect(() => tokenOf(mode)).toThrow(
        `calltally.yaml:4:17: accounts.acme.token_file: other users can read ${file}, which contains a secret`,
      );
    }
  });
});

describe("chooseAccounts", () => {
  it("returns all if none is named, and lists them in an error", () => {
    read({ yaml: TWO }, (configuration) => {
      const names = (chosen: readonly string[]) =>
        chooseAccounts(configuration, chosen).map(({ name }) => name);
      expect([names([]), names(["beta"]), names(["beta", "acme"])]).toEqual([
        ["acme", "beta"],
        ["beta"],
        ["acme", "beta"],
      ]);
      expect(() => names(["acne"])).toThrow("There is no account acne: calltally.yaml has acme, beta");
    });
  });
});

describe("findFile", () => {
  it("prefers --config to the environment, .env and the working folder", () => {
    using folder = makeTempFolder();
    const find = (named?: string, env = {}) => findFile(named, { env, folder: folder.path });
    expect(find()).toBeUndefined();
    writeFileSync(join(folder.path, "calltally.yaml"), ACME);
    expect(find()).toBe("calltally.yaml");
    writeFileSync(join(folder.path, ".env"), "CALLTALLY_CONFIG=c.yaml");
    expect([
      find(),
      find(undefined, { CALLTALLY_CONFIG: "b.yaml" }),
      find("a.yaml", { CALLTALLY_CONFIG: "b.yaml" }),
    ]).toEqual(["c.yaml", "b.yaml", "a.yaml"]);
    expect(() => find("")).toThrow("--config is empty");
  });
});
