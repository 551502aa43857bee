import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/server.ts";
import { type MailServer, startMailServer } from "../delivery/mail-server.ts";
import { parseLines } from "../support/logging-program.ts";
import { HAS_PROCESSES } from "../support/run.ts";
import { readText } from "../support/temp-folder.ts";
import { readRows } from "../support/warehouse.ts";
import { makeAgencyFolder } from "./agency.ts";

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

/** Rows of an account's ledger. */
function ledgerOf(folder: string, account: string, table: "report_runs" | "deliveries") {
  return readRows(join(folder, "data", account, "calltally.db"), `SELECT * FROM ${table} ORDER BY 1`);
}

const addresses = (mail: MailServer) => mail.taken.flatMap(({ to }) => to).sort();

describe("named reports", () => {
  it("are made for each account and delivered, and shown by status", async () => {
    await using mail = await startMailServer({ lacksTls: true });
    const reports = `${WEEKLY}    accounts: all
    deliver:
      - email: { to: [marketing@acme.example, boss@acme.example], subject: "Calls, {period}" }
      - command: [cp, -r, "{folder}", "copy-{account}"]
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
    expect(ledgerOf(folder.path, "acme", "report_runs")).toEqual([]);

    const { code, stdout, stderr } = await folder.run("run weekly page --deliver");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^acme\nweekly, report run 1\nreports\/acme\/weekly\/calltally\.xlsx {2}2 sheets/);
    expect(stdout).toMatch(/^email to boss@acme\.example: delivered$/m);
    expect(stdout).toMatch(/^It has no recipients in calltally\.yaml, so it was not sent$/m);
    expect(addresses(mail)).toEqual([
      "boss@acme.example",
      "boss@acme.example",
      "marketing@acme.example",
      "marketing@acme.example",
    ]);
    const [first] = mail.taken;
    expect(first?.raw).toMatch(/^Subject: Calls, \d+ \w{3} \d{4} to \d+ \w{3} \d{4}\r$/m);
    expect(first?.raw).toContain("calltally.xlsx");
    expect(existsSync(join(folder.path, "copy-beta/calltally.xlsx"))).toBe(true);
    expect(ledgerOf(folder.path, "acme", "report_runs")).toMatchObject([
      {
        report: "weekly",
        account: "acme",
        scheduled_for: null,
        status: "done",
        verdict: "exact",
        is_stale: 0,
      },
      { report: "page", status: "done" },
    ]);
    expect(ledgerOf(folder.path, "beta", "deliveries")).toMatchObject([
      { channel: "email", recipient: "marketing@acme.example", status: "delivered", attempts: 1 },
      { channel: "email", recipient: "boss@acme.example", status: "delivered", attempts: 1 },
      { channel: "command", status: "delivered" },
    ]);
    const status = await folder.run("status --account acme");
    expect(status.stdout).toMatch(
      /^Reports {4}weekly {2}made just now, delivered to 3 of 3, next \d{4}-\d\d-\d\d 07:00$/m,
    );
    expect(status.stdout).toMatch(/^ {11}page {4}made just now$/m);
  });

  it("have the same figures as export with the same flags", async () => {
    const reports = `  figures:
    contents: [source]
    by: [weekday, hour]
    range: { last: 3m }
    grain: month
    total: true
    top: 3
    filter: { channel: [Paid Search, Organic Search], min_duration_seconds: 10 }
    folder: "out/{report}"
`;
    await using folder = await makePlace({ acme: { calls: 400 } }, reports);
    await folder.run("sync");
    expect((await folder.run("run figures")).code).toBe(0);
    const flags = "--by weekday,hour --last 3m --grain month --total --top 3 --min-duration 10 --out by-hand";
    const channels = ["--channel", "Paid Search", "--channel", "Organic Search"];
    await folder.run(`export source ${flags}`, ...channels);
    for (const file of ["source.csv", "weekday-hour.csv"]) {
      const made = readText(folder.path, `out/figures/${file}`);
      expect(made).toBe(readText(folder.path, `by-hand/${file}`));
      expect(made.split("\r\n").length).toBeGreaterThan(5);
    }
  });

  it.skipIf(!HAS_PROCESSES)(
    "exit with 9, also as a job, while a delivery failed, which status and doctor show",
    async () => {
      await using mail = await startMailServer({ lacksTls: true });
      const reports = `${WEEKLY}    on_restatement: deliver
    deliver:
      - email: { to: [marketing@acme.example] }
      - command: [test, -e, mended]
`;
      await using folder = await makePlace({ acme: { calls: 100 } }, reports, mail);
      const codeOf = async (...args: string[]) => (await folder.run(...args)).code;
      await folder.run("sync");
      expect(await codeOf("job", "restated:weekly")).toBe(0);
      const { code, stdout } = await folder.run("run weekly --deliver");
      expect(code).toBe(9);
      expect(stdout).toMatch(/^email to marketing@acme\.example: delivered$/m);
      expect(stdout).toMatch(/^command to test #\w+: failed: /m);
      expect((await folder.run("status")).stdout).toMatch(/delivered to 1 of 2/);
      expect(await codeOf("job", "report:weekly")).toBe(9);
      expect((await folder.run("doctor")).stdout).toMatch(
        /^warn {2}job report:weekly +failed just now, and has not succeeded since; exit 9\n +`calltally status` shows who /m,
      );
      const again = await folder.run("job report:weekly");
      expect(again.code).toBe(9);
      expect(parseLines(again.stderr)).toMatchObject([
        { level: "error", report_run_id: 2, exitCode: 9, hint: expect.stringContaining("--account acme`") },
      ]);
      folder.write("mended", "");
      expect(await codeOf("run", "weekly", "--deliver", "--account", "acme")).toBe(0);
      expect(await codeOf("job", "report:weekly")).toBe(0);
      expect(addresses(mail)).toHaveLength(3);
    },
  );

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
    expect(ledgerOf(folder.path, "acme", "report_runs")).toMatchObject([
      {
        report: "broken",
        status: "failed",
        error: expect.stringContaining("reports.broken: Cannot use filter.source"),
      },
      { report: "weekly", status: "done" },
      { report: "broken", status: "failed" },
    ]);
  });
});
