import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toDeliveryTargets } from "../../src/reports/delivery-targets.ts";
import { planReport } from "../../src/reports/plan-report.ts";
import { nameReport } from "./named-report.ts";

/** A Monday in Berlin, and still Sunday in UTC. */
const NOW_MS = Date.parse("2026-11-15T23:30:00.000Z");
const BERLIN = { CALLTALLY_TIMEZONE: "Europe/Berlin" };
const LAST_WEEK = { contents: ["channel"], range: { last: "1w" } };
const SECRETS = {
  "smtp.url": "smtps://calls%40example.com:s3cret@mail.example.com",
  "hook.url": "https://hooks.example.com/s3cret",
};
const MAIL = { email: { to: ["ann@example.com"] } };
const COMMAND = { command: ["cp", "{folder}"] };
const HOOK = { webhook: { url_file: "hook.url" } };

const ACCOUNT = { base_url: "https://api.example.com", token_file: "smtp.url" };
const AGENCY = { accounts: { acme: ACCOUNT, beta: { ...ACCOUNT, base_url: "https://beta.example.com" } } };

type Options = Parameters<typeof nameReport>[1];

function plan(content: object, options: Options = {}) {
  using named = nameReport(content, { calls: null, env: BERLIN, secrets: SECRETS, ...options });
  const { report, folder } = named;
  const planned = planReport(report, NOW_MS);
  return { ...planned, targets: toDeliveryTargets(report, planned, "/work"), own: folder };
}

describe("planReport", () => {
  it("counts days in the report's zone and fills in its folder", () => {
    const { values, own, folder, personal } = plan({ ...LAST_WEEK, folder: "{report}/{period}/{date}" });
    expect(values).toEqual({
      account: undefined,
      title: undefined,
      report: "weekly",
      from: "2026-11-09",
      to: "2026-11-15",
      period: "2026-W46",
      date: "2026-11-16",
    });
    expect([folder, personal]).toEqual([join(own, "weekly/2026-W46/2026-11-16"), []]);
  });

  it.each([
    ["Pacific/Honolulu", "2026-11-16T09:59:59.000Z", "2026-11-15", "2026-11-02", "2026-11-08"],
    ["Pacific/Honolulu", "2026-11-16T10:00:00.000Z", "2026-11-16", "2026-11-09", "2026-11-15"],
    ["Australia/Lord_Howe", "2026-11-15T12:59:59.000Z", "2026-11-15", "2026-11-02", "2026-11-08"],
    ["Australia/Lord_Howe", "2026-11-15T13:00:00.000Z", "2026-11-16", "2026-11-09", "2026-11-15"],
  ])("dates a report in %s at %s to the day there, %s", (zone, now, date, from, to) => {
    using named = nameReport(LAST_WEEK, { calls: null, env: { CALLTALLY_TIMEZONE: zone } });
    expect(planReport(named.report, Date.parse(now)).values).toMatchObject({ date, from, to });
  });

  it("refuses an unusable logo before anything is written", () => {
    const env = { ...BERLIN, CALLTALLY_LOGO: "nowhere/logo.png" };
    expect(() => plan(LAST_WEEK, { env })).toThrow("Cannot read the logo nowhere/logo.png: no such file");
  });

  it.each([
    [undefined, "reports/weekly"],
    ["acme", "reports/acme/weekly"],
  ])("returns the default folder of account %s", (account, path) => {
    const { folder, own, values } = plan({ contents: ["channel"] }, { ...(account && { account }) });
    expect([folder, values.account, values.period]).toEqual([join(own, path), account, undefined]);
  });

  it("names the personal contents", () => {
    const contents = ["channel", "calls", "callers", "google-ads", "google-leads", "microsoft-ads"];
    expect(plan({ contents }).personal).toEqual(contents.slice(1));
  });

  it.each<{ says: string; content?: object; options?: Options }>([
    { says: "leave out contents", content: { format: "html" } },
    { says: "range.to", content: { contents: undefined, format: "html", range: { from: "2026-01-01" } } },
    { says: "with applies only to calls", content: { with: ["caller_id"] } },
    {
      says: "calls cannot be read with engine",
      content: { contents: ["calls"], engine: "clickhouse://ch.example/calls" },
    },
    { says: "Cannot use {period} in {period}: it has no value here", content: { folder: "{period}" } },
    {
      says: "Cannot use {from} in {from}: it has no value here",
      content: { deliver: [{ command: ["echo", "{from}"] }] },
    },
    {
      says: "Cannot use {to} in Until {to}: it has no value here",
      content: { deliver: [{ email: { ...MAIL.email, subject: "Until {to}" } }] },
    },
    {
      says: "Cannot use {file} in {file}: it has no value here",
      content: { contents: ["channel", "source"], deliver: [{ command: ["echo", "{file}"] }] },
    },
    { says: "filter.exclude_callers", content: { filter: { exclude_callers: "nowhere.txt" } } },
    ...["reports/twin", "./Reports/{report}"].map((folder) => ({
      says: `the folder ${folder.replace("twin", "weekly")} also belongs to the report twin`,
      content: { folder: folder.replace("twin", "weekly") },
      options: { others: { twin: { contents: ["source"], folder: "reports/weekly" } } },
    })),
    {
      says: "the folder /srv/Exports also belongs to export",
      content: { folder: "/srv/Exports" },
      options: { env: { CALLTALLY_EXPORT_DIR: "/srv/exports" } },
    },
    ...["all", ["acme", "beta"]].map((accounts) => ({
      says: "the folder out also belongs to the account beta",
      content: { folder: "out", accounts },
      options: { account: "acme", top: AGENCY },
    })),
    {
      says: "the folder out also belongs to the report daily of the account beta",
      content: { folder: "out", accounts: ["acme"] },
      options: {
        account: "acme",
        top: AGENCY,
        others: { daily: { contents: ["channel"], folder: "out", accounts: ["beta"] } },
      },
    },
  ])("refuses with the place in the file: $says", ({ says, content, options }) => {
    const refused = () => plan({ contents: ["channel"], ...content }, options);
    expect(refused).toThrow(says);
    expect(refused).toThrow(/\/calltally\.yaml:1:\d+: reports\.weekly: /);
    expect(refused).toThrow(expect.objectContaining({ hint: expect.stringMatching(/\.$/) }));
  });

  it("allows two reports or accounts in separate folders", () => {
    const options = {
      account: "acme",
      top: AGENCY,
      others: { daily: { contents: ["source"], folder: "{account}/{report}" } },
    };
    const { folder, own } = plan({ contents: ["channel"], folder: "{account}/{report}" }, options);
    expect(folder).toBe(join(own, "acme/weekly"));
  });

  it.each([
    ["csv", ["channel"]],
    ["xlsx", ["channel", "source"]],
  ])("accepts one {file} of %s", (format, contents) => {
    const content = { contents, format, deliver: [{ command: ["echo", "{file}"] }] };
    expect(plan(content).targets).toHaveLength(1);
  });
});

describe("toDeliveryTargets", () => {
  it("returns one target for each recipient, in order", () => {
    const email = { to: ["ann@example.com", "bob@example.com"], subject: "{report}", from: "b@example.com" };
    const content = { ...LAST_WEEK, deliver: [MAIL, { email }, HOOK, COMMAND] };
    const smtp = {
      host: "mail.example.com",
      port: 465,
      isImplicitTls: true,
      isLocal: false,
      login: { user: "calls@example.com", password: "s3cret" },
      from: { name: "", address: "calls@example.com" },
    };
    expect(plan(content, { top: { smtp_url_file: "smtp.url" } }).targets).toEqual([
      { channel: "email", to: ["ann@example.com"], subject: "{report}: calls, {period}", smtp },
      {
        channel: "email",
        to: email.to,
        subject: "{report}",
        smtp: { ...smtp, from: { name: "", address: "b@example.com" } },
      },
      { channel: "webhook", url: new URL("https://hooks.example.com/s3cret") },
      { channel: "command", argv: ["cp", "{folder}"], cwd: "/work" },
    ]);
  });

  it("returns a subject without a period for open days, and no targets without recipients", () => {
    const content = { contents: ["channel"], deliver: [MAIL] };
    const [mail] = plan(content, { top: { smtp_url_file: "smtp.url" } }).targets;
    expect(mail).toMatchObject({ subject: "{report}: calls" });
    expect(plan(LAST_WEEK).targets).toEqual([]);
  });

  it("begins the subject with whose figures they are, which a subject of its own can name", () => {
    const titled = {
      env: { ...BERLIN, CALLTALLY_TITLE: "Acme Roofing" },
      top: { smtp_url_file: "smtp.url" },
    };
    const own = { email: { ...MAIL.email, subject: "{title} in {period}" } };
    const { targets, values } = plan({ ...LAST_WEEK, deliver: [MAIL, own] }, titled);
    expect(targets).toMatchObject([
      { subject: "{title}, {report}: calls, {period}" },
      { subject: "{title} in {period}" },
    ]);
    expect(values.title).toBe("Acme Roofing");
    expect(() => plan({ ...LAST_WEEK, folder: "{title}" }, titled)).toThrow(
      /reports\.weekly\.folder: \{title\} is not one of \{account\}/,
    );
    const untitled = { top: { smtp_url_file: "smtp.url" } };
    expect(() => plan({ ...LAST_WEEK, deliver: [own] }, untitled)).toThrow(
      "Cannot use {title} in {title} in {period}: it has no value here",
    );
  });

  it("adds the page of charts to a page to explore that is mailed", () => {
    const top = { smtp_url_file: "smtp.url" };
    const content = { format: "explore", range: { last: "4w" }, deliver: [COMMAND, MAIL] };
    const { ask, targets } = plan(content, { top });
    expect(ask).toMatchObject({
      contents: [{ kind: "explore" }, { kind: "page" }],
      grain: "day",
      compare: [{ as: "previous", kind: "days" }],
    });
    expect(targets).toHaveLength(2);
    expect(plan({ ...content, deliver: [COMMAND] }).ask.contents).toHaveLength(1);
    for (const [change, why] of [
      [{ range: undefined }, "which needs its days"],
      [{ min_cell: 5 }, "which has no min_cell"],
    ] as const)
      expect(() => plan({ ...content, ...change }, { top })).toThrow(
        `deliver[1].email: in place of a page to explore, a mail has the page of charts, ${why}`,
      );
  });

  it("delivers a page to explore that lists calls if the report says rows, and private columns only on request", () => {
    const content = { format: "explore", deliver: [COMMAND] };
    expect(() => plan({ ...content, with: ["caller_id"] })).toThrow(
      "with needs rows: it adds columns to the calls",
    );
    expect(plan({ ...content, rows: true }).targets).toHaveLength(1);
    expect(() => plan({ ...content, rows: true, with: ["caller_id"] })).toThrow(
      "caller_id: personal data is only delivered on request",
    );
    const listed = { ...content, rows: true, with: ["caller_id"], personal_data: true };
    expect(plan(listed).targets).toHaveLength(1);
  });

  it.each([MAIL, COMMAND])("delivers personal lists only on request: %o", (recipient) => {
    const [channel] = Object.keys(recipient);
    const content = { contents: ["channel", "calls", "callers"], deliver: [HOOK, recipient] };
    const options = { top: { smtp_url_file: "smtp.url" } };
    expect(() => plan(content, options)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          `/calltally.yaml:1:\\d+: reports\\.weekly\\.deliver\\[1\\]\\.${channel}: calls, callers: personal data is only delivered on request$`,
        ),
        hint: "Leave calls, callers out, or set personal_data: true in the report.",
      }),
    );
    expect(plan({ ...content, personal_data: true }, options).targets).toHaveLength(2);
    expect(plan({ ...content, deliver: [HOOK] }, options).targets).toHaveLength(1);
  });

  it.each([
    { says: "deliver[0].email: there is no smtp_url_file at the top of the file", deliver: [MAIL], top: {} },
    {
      says: /:1:\d+: smtp_url_file: .*hook.url must start with smtp:/,
      deliver: [MAIL],
      top: { smtp_url_file: "hook.url" },
    },
    {
      says: /weekly\.deliver\[0\]\.webhook\.url_file: .*smtp\.url must start with https:/,
      deliver: [{ webhook: { url_file: "smtp.url" } }],
      top: {},
    },
  ])("refuses an unusable secret without showing it: $says", ({ says, deliver, top }) => {
    const refused = () => plan({ ...LAST_WEEK, deliver }, { top });
    expect(refused).toThrow(says);
    expect(refused).toThrow(expect.objectContaining({ hint: expect.stringMatching(/file/) }));
    expect(refused).not.toThrow("s3cret");
  });
});
