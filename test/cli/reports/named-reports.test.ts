import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SandboxOptions } from "../../../src/sandbox/server.ts";
import { type MailServer, startMailServer } from "../../reports/delivery/mail-server.ts";
import { readRows } from "../../support/warehouses/warehouse.ts";
import { makeAgencyFolder } from "../accounts/agency.ts";

const WEEKLY = `  weekly:
    contents: [channel, utm_campaign]
    range: { last: 4w }
    grain: week
    compare: previous
    format: xlsx
    folder: reports/{account}/weekly
    cron: "0 7 * * 1"
`;

/** A working folder of accounts and reports that are mailed by this server. */
async function makePlace<Name extends string>(
  accounts: Record<Name, SandboxOptions>,
  reports: string,
  mail?: MailServer,
) {
  const top = mail === undefined ? "" : "smtp_url_file: smtp.url\n";
  const folder = await makeAgencyFolder(accounts, { top });
  appendFileSync(join(folder.path, "calltally.yaml"), `reports:\n${reports}`);
  folder.write("smtp.url", `smtp://127.0.0.1:${mail?.port}?from=Calls%20<calls@example.com>`);
  return folder;
}

/** The report runs in an account's ledger. */
const ledgerOf = (folder: string, account: string) =>
  readRows(join(folder, "data", account, "calltally.db"), "SELECT * FROM report_runs ORDER BY 1");

describe("named reports", () => {
  it("makes and delivers a report for each account, exits with 9 while a delivery failed, and status shows it", async () => {
    await using mail = await startMailServer({ lacksTls: true });
    const reports = `${WEEKLY}    accounts: all
    deliver:
      - email: { to: [marketing@acme.example, boss@acme.example], subject: "Calls, {period}" }
      - command: [test, -e, mended]
  page:
    accounts: [acme]
    format: html
    folder: pages/{to}
`;
    const accounts = { acme: { calls: 300 }, beta: { calls: 200, seed: 2 } };
    await using folder = await makePlace(accounts, reports, mail);
    expect((await folder.run("config check")).stdout).toContain("no problem");
    await folder.run("sync");

    const unaddressed = await folder.run("run page --deliver");
    expect(unaddressed).toMatchObject({ code: 2, stdout: "" });
    expect(ledgerOf(folder.path, "acme")).toEqual([]);

    const { code, stdout, stderr } = await folder.run("run weekly page --deliver");
    expect(code).toBe(9);
    expect(stderr).toMatch(
      /^acme: weekly was not delivered by command to test #\w+\nacme: `calltally run weekly /,
    );
    expect(stdout).toMatch(/^acme\nweekly, report run 1\nreports\/acme\/weekly\/calltally\.xlsx {2}2 sheets/);
    expect(stdout).toMatch(/^email to boss@acme\.example: delivered$/m);
    expect(stdout).toMatch(/^command to test #\w+: failed: /m);
    expect(stdout).toMatch(/^It has no recipients in calltally\.yaml, so it was not sent$/m);
    const to = mail.taken.flatMap((taken) => taken.to).sort();
    const [boss, marketing] = ["boss@acme.example", "marketing@acme.example"];
    expect(to).toEqual([boss, boss, marketing, marketing]);
    const [first] = mail.taken;
    expect(first?.raw).toMatch(/^Subject: Calls, \d+ \w{3} \d{4} to \d+ \w{3} \d{4}\r$/m);
    expect(first?.raw).toContain("calltally.xlsx");
    const made = { account: "acme", scheduled_for: null, status: "done" };
    expect(ledgerOf(folder.path, "acme")).toMatchObject([
      { ...made, report: "weekly" },
      { ...made, report: "page" },
    ]);
    const status = await folder.run("status --account acme");
    expect(status).toMatchObject({ code: 3, stderr: expect.stringContaining("command to test") });
    expect(status.stdout).toMatch(
      /^Reports {4}weekly {2}made just now, delivered to 2 of 3, next \d{4}-\d\d-\d\d 07:00\n.*failed: .*\n {11}page {4}made just now$/m,
    );
    folder.write("mended", "");
    expect((await folder.run("run weekly --deliver --account acme")).code).toBe(0);
  });

  it("do not stop others when one fails", async () => {
    const broken = "  broken:\n    contents: [channel]\n    filter: { source: nowhere }\n";
    await using folder = await makePlace({ acme: { calls: 50 } }, `${broken}${WEEKLY}`);
    await folder.run("sync");
    const both = await folder.run("run broken weekly --json");
    expect(both).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^calltally: broken: calltally\.yaml:6:3: reports\.broken: Cannot use filter\.source nowhere/m,
      ),
    });
    expect(JSON.parse(both.stdout)).toMatchObject([
      { report: "broken", error: { exit_code: 2, message: expect.stringContaining("nowhere") } },
      { report: "weekly", report_run_id: 2 },
    ]);
    const alone = await folder.run("run broken");
    expect(alone.stderr).toMatch(
      /^calltally: calltally\.yaml:6:3: reports\.broken: Cannot use filter\.source nowhere/,
    );
    expect(ledgerOf(folder.path, "acme").map(({ report, status }) => [report, status])).toEqual([
      ["broken", "failed"],
      ["weekly", "done"],
      ["broken", "failed"],
    ]);
  });
});
