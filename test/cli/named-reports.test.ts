import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { type MailServer, startMailServer } from "../delivery/mail-server.ts";
import { HAS_PROCESSES } from "../support/run.ts";
import { readRows } from "../support/warehouse.ts";
import { writeAccounts } from "./agency.ts";
import { makeFolder } from "./folder.ts";

const WEEKLY = `  weekly:
    contents: [channel, utm_campaign]
    range: { last: 4w }
    grain: week
    compare: previous
    format: xlsx
    folder: reports/{account}/weekly
    cron: "0 7 * * 1"
`;

/** Writes accounts, a mail server and reports into the folder. */
function configure(
  folder: string,
  sandboxes: Parameters<typeof writeAccounts>[1],
  reports: string,
  mail?: Pick<MailServer, "port">,
): void {
  const top = mail === undefined ? "" : "smtp_url_file: smtp.url\n";
  writeAccounts(folder, sandboxes, { top });
  appendFileSync(join(folder, "calltally.yaml"), `reports:\n${reports}`);
  if (mail !== undefined) {
    const url = `smtp://127.0.0.1:${mail.port}?from=Calls%20<calls@example.com>`;
    writeFileSync(join(folder, "smtp.url"), url, { mode: 0o600 });
  }
}

/** Rows of an account's ledger. */
function ledgerOf(folder: string, account: string, table: "report_runs" | "deliveries") {
  return readRows(join(folder, "data", account, "calltally.db"), `SELECT * FROM ${table} ORDER BY 1`);
}

const addresses = (mail: MailServer) => mail.taken.flatMap(({ to }) => to).sort();

describe("named reports", () => {
  it("are made for each account and delivered, and shown by status", async () => {
    using folder = makeFolder();
    await using acme = await startSandbox({ calls: 300, token: "t0ken-of-acme" });
    await using beta = await startSandbox({ calls: 200, seed: 2, token: "t0ken-of-beta" });
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
    configure(folder.path, { acme, beta }, reports, mail);
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
    using folder = makeFolder();
    await using acme = await startSandbox({ calls: 400, token: "t0ken-of-acme" });
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
    configure(folder.path, { acme }, reports);
    await folder.run("sync");
    expect((await folder.run("run figures")).code).toBe(0);
    const flags = ["--last", "3m", "--grain", "month", "--total", "--top", "3", "--min-duration", "10"];
    const channels = ["--channel", "Paid Search", "--channel", "Organic Search"];
    await folder.run("export source --by weekday,hour", ...flags, ...channels, "--out", "by-hand");
    for (const file of ["source.csv", "weekday-hour.csv"]) {
      const made = readFileSync(join(folder.path, "out/figures", file), "utf8");
      expect(made).toBe(readFileSync(join(folder.path, "by-hand", file), "utf8"));
      expect(made.split("\r\n").length).toBeGreaterThan(5);
    }
  });

  it.skipIf(!HAS_PROCESSES)(
    "exit with 9, also as a job, while a delivery failed, which status and doctor show",
    async () => {
      using folder = makeFolder();
      await using acme = await startSandbox({ calls: 100, token: "t0ken-of-acme" });
      await using mail = await startMailServer({ lacksTls: true });
      const reports = `${WEEKLY}    on_restatement: deliver
    deliver:
      - email: { to: [marketing@acme.example] }
      - command: [test, -e, mended]
`;
      configure(folder.path, { acme }, reports, mail);
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
      expect([
        again.code,
        ...again.stderr
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line)),
      ]).toMatchObject([
        9,
        { level: "error", report_run_id: 2, exitCode: 9, hint: expect.stringContaining("--account acme`") },
      ]);
      writeFileSync(join(folder.path, "mended"), "");
      expect(await codeOf("run", "weekly", "--deliver", "--account", "acme")).toBe(0);
      expect(await codeOf("job", "report:weekly")).toBe(0);
      expect(addresses(mail)).toHaveLength(3);
    },
  );

  it("do not stop others when one fails", async () => {
    using folder = makeFolder();
    await using acme = await startSandbox({ calls: 50, token: "t0ken-of-acme" });
    const broken = "  broken:\n    contents: [channel]\n    filter: { source: nowhere }\n";
    configure(folder.path, { acme }, `${broken}${WEEKLY}`);
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
