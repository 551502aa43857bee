import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { openWarehouse } from "../../src/warehouse/open.ts";
import { type MailServer, startMailServer } from "../delivery/mail-server.ts";
import { HAS_PROCESSES, startCalltally } from "../support/run.ts";
import { readColumn, readRows } from "../support/warehouse.ts";
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
    expect((await folder.run("config", "check")).stdout).toContain("no problem");
    await folder.run("sync");

    const unaddressed = await folder.run("run", "page", "--deliver");
    expect(unaddressed).toMatchObject({ code: 2, stdout: "" });
    expect(ledgerOf(folder.path, "acme", "report_runs")).toEqual([]);

    const { code, stdout, stderr } = await folder.run("run", "weekly", "page", "--deliver");
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
    const status = await folder.run("status", "--account", "acme");
    expect(status.stdout).toMatch(
      /^Reports {4}weekly {2}made just now, delivered to 3 of 3, next \d{4}-\d\d-\d\d 07:00$/m,
    );
    expect(status.stdout).toMatch(/^ {11}page {4}made just now$/m);
  });

  it("are made and delivered again, with the changes, only after a sync that changed reported figures", async () => {
    using folder = makeFolder();
    await using acme = await startSandbox({ calls: 300, token: "t0ken-of-acme" });
    await using mail = await startMailServer({ lacksTls: true });
    const reports = `${WEEKLY.replace("format: xlsx", "format: csv")}    deliver:
      - email: { to: [marketing@acme.example] }
    on_restatement: deliver
    require: verified
`;
    configure(folder.path, { acme }, reports, mail);
    const run = (...args: string[]) => folder.run(...args);
    expect((await run("config", "check")).stdout).toContain("no problem");
    await run("sync", "--full");
    const again = async () => {
      expect((await run("job", "restated:weekly")).code).toBe(0);
      return mail.taken.length;
    };
    expect(await again()).toBe(0);
    expect((await run("job", "report:weekly")).code).toBe(0);
    expect(await again()).toBe(1);

    acme.calls.insert();
    await run("sync", "--full");
    expect(await again()).toBe(1);

    const isOld = (id: number) => {
      const ageDays = (Date.now() - Date.parse(String(acme.calls.get(id)?.call_started))) / 86_400_000;
      return ageDays > 12 && ageDays < 18;
    };
    for (const id of acme.calls.ids.filter(isOld)) acme.calls.edit(id, { disposition: "BUSY" });
    await run("sync", "--full");
    await run("sync"); // proves nothing
    expect(await again()).toBe(1);
    await run("sync", "--full");
    expect(await again()).toBe(2);
    expect(await again()).toBe(2);
    const [first, second] = mail.taken.map(({ raw }) => raw.replaceAll("=\r\n", ""));
    expect(first).not.toContain("restatements.csv");
    expect(second).toMatch(/figures exported on \d{4}-\d\d-\d\d have changed/);
    expect(second).toMatch(/filename="?restatements\.csv/);
    const [, made] = ledgerOf(folder.path, "acme", "report_runs");
    expect(made).toMatchObject({ report: "weekly", scheduled_for: null, status: "done" });
    expect(JSON.parse(String(made?.files)).map(({ name }: { name: string }) => name)).toContain(
      "restatements.csv",
    );
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
    expect((await folder.run("run", "figures")).code).toBe(0);
    const flags = ["--last", "3m", "--grain", "month", "--total", "--top", "3", "--min-duration", "10"];
    const channels = ["--channel", "Paid Search", "--channel", "Organic Search"];
    await folder.run("export", "source", "--by", "weekday,hour", ...flags, ...channels, "--out", "by-hand");
    for (const file of ["source.csv", "weekday-hour.csv"]) {
      const made = readFileSync(join(folder.path, "out/figures", file), "utf8");
      expect(made).toBe(readFileSync(join(folder.path, "by-hand", file), "utf8"));
      expect(made.split("\r\n").length).toBeGreaterThan(5);
    }
  });

  it.skipIf(!HAS_PROCESSES)(
    "are made once for each slot, even if the process was killed meanwhile",
    async () => {
      using folder = makeFolder();
      const { options, run } = folder;
      await using acme = await startSandbox({ calls: 200, token: "t0ken-of-acme" });
      const reached = Promise.withResolvers<void>();
      let isFirst = true;
      await using mail = await startMailServer({
        lacksTls: true,
        // The greeting for the first mail never comes: the process is killed before anything was sent.
        onConnect: async () => {
          if (!isFirst) return undefined;
          isFirst = false;
          reached.resolve();
          return await new Promise<undefined>(() => {});
        },
      });
      const reports = `${WEEKLY}    deliver: [{ email: { to: [marketing@acme.example] } }]\n`;
      configure(folder.path, { acme }, reports, mail);
      await run("sync");

      const killed = startCalltally(["job", "report:weekly"], options);
      await reached.promise;
      killed.kill("SIGKILL");
      await killed.done;
      expect(addresses(mail)).toEqual([]);
      const afterKill = await run("status");
      expect(afterKill.stdout).toMatch(/^Reports {4}weekly {2}interrupted/m);
      // It is overdue when the schedule starts, since it is new and was never made.
      const listed = await run("schedule", "--list", "--json");
      expect(listed.stdout).toMatch(/"report:weekly"[^}]*"is_behind": ?true/);

      expect((await run("job", "report:weekly")).code).toBe(0);
      const again = await run("job", "report:weekly");
      expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("is already done") });
      expect(addresses(mail)).toEqual(["marketing@acme.example"]);
      expect(ledgerOf(folder.path, "acme", "report_runs")).toMatchObject([
        { status: "done", scheduled_for: expect.stringMatching(/T07:00:00\.000Z$/) },
      ]);
      expect(ledgerOf(folder.path, "acme", "deliveries")).toMatchObject([{ status: "delivered" }]);
    },
  );

  it.skipIf(!HAS_PROCESSES)(
    "exit with 9 if a delivery failed, without stopping others, until a manual run reaches everybody",
    async () => {
      using folder = makeFolder();
      const { run } = folder;
      await using acme = await startSandbox({ calls: 100, token: "t0ken-of-acme" });
      const mended = join(folder.path, "mended");
      await using mail = await startMailServer({
        lacksTls: true,
        onRcpt: (address) => (address.startsWith("nobody") && !existsSync(mended) ? 550 : undefined),
      });
      const reports = `${WEEKLY}    deliver:
      - email: { to: [nobody@acme.example, marketing@acme.example] }
      - command: [test, -e, mended]
`;
      configure(folder.path, { acme }, reports, mail);
      await run("sync");
      const { code, stdout } = await run("run", "weekly", "--deliver");
      expect(code).toBe(9);
      expect(stdout).toMatch(/^email to nobody@acme\.example: failed: .*550/m);
      expect(stdout).toMatch(/^email to marketing@acme\.example: delivered$/m);
      expect(stdout).toMatch(/^command to test #\w+: failed: /m);
      expect(addresses(mail)).toEqual(["marketing@acme.example"]);
      const status = await run("status");
      expect(status.stdout).toMatch(/delivered to 1 of 3/);
      expect(status.stdout).toMatch(/email to nobody@acme\.example: failed/);
      const job = await run("job", "report:weekly");
      expect(job.code).toBe(9);
      const doctor = await run("doctor");
      expect(doctor.stdout).toMatch(
        /^warn {2}job report:weekly +failed just now, and has not succeeded since; exit 9\n +`calltally status` shows who /m,
      );

      // Run again, like a timer that retries. Files made by hand meanwhile reach nobody.
      expect((await run("run", "weekly")).code).toBe(0);
      const again = await run("job", "report:weekly");
      expect(again.code).toBe(9);
      const lines = again.stderr.trimEnd().split("\n");
      expect(lines).toHaveLength(1);
      expect(JSON.parse(lines[0] ?? "")).toMatchObject({
        level: "error",
        msg: "this report run is already done, but not delivered to all: email failed, command failed",
        report_run_id: 2,
        exitCode: 9,
        hint: expect.stringContaining("`calltally run weekly --deliver --account acme`"),
      });
      expect(addresses(mail)).toHaveLength(2);
      writeFileSync(mended, "");
      const byHand = ["run", "weekly", "--deliver", "--account", "acme"];
      expect((await run(...byHand)).code).toBe(0);
      expect((await run("job", "report:weekly")).code).toBe(0);
      expect(addresses(mail)).toHaveLength(4);
    },
  );

  it("are made from fresh calls after a sync; if the sync fails, the report is marked as stale", async () => {
    using folder = makeFolder();
    await using mail = await startMailServer({ lacksTls: true });
    const reports = `${WEEKLY}    fresh: 2h\n    deliver: [{ email: { to: [marketing@acme.example] } }]\n`;
    {
      await using acme = await startSandbox({ calls: 100, token: "t0ken-of-acme" });
      configure(folder.path, { acme }, reports, mail);
      await folder.run("sync");
      age(folder.path, 3);
      expect((await folder.run("job", "report:weekly")).code).toBe(0);
      const database = join(folder.path, "data/acme/calltally.db");
      expect(readColumn(database, "SELECT count(*) FROM sync_runs")).toEqual([2]);
    }
    age(folder.path, 3);
    const byHand = await folder.run("run", "weekly", "--deliver");
    expect(byHand).toMatchObject({ code: 3, stdout: expect.stringContaining("older than 2h") });
    expect(mail.taken.at(-1)?.raw.replaceAll("=\r\n", "")).toContain("The last good sync is older than 2h");
    expect(ledgerOf(folder.path, "acme", "report_runs").at(-1)).toMatchObject({
      is_stale: 1,
      status: "done",
    });
  });

  it("are not delivered before a sync has finished, which health and status report", async () => {
    using folder = makeFolder();
    const { run } = folder;
    await using acme = await startSandbox({ calls: 50, token: "t0ken-of-acme" });
    await using mail = await startMailServer({ lacksTls: true });
    const deliver = `    deliver: [{ email: { to: [marketing@acme.example] } }, { command: [touch, sent] }]\n`;
    configure(folder.path, { acme }, `${WEEKLY}${deliver}`, mail);
    openWarehouse(join(folder.path, "data/acme/calltally.db"))[Symbol.dispose]();
    const error = "Cannot write any figures: no sync has finished yet";
    const byHand = await run("run", "weekly", "--deliver");
    expect(byHand).toEqual({
      code: 9,
      stdout: "",
      stderr: expect.stringMatching(`^calltally: ${error}\nRun `),
    });
    expect((await run("job", "report:weekly")).code).toBe(9);
    expect(mail.taken).toEqual([]);
    expect(existsSync(join(folder.path, "sent"))).toBe(false);
    expect(existsSync(join(folder.path, "reports"))).toBe(false);
    expect(ledgerOf(folder.path, "acme", "report_runs")).toMatchObject([
      { status: "failed", error },
      { status: "failed", error },
    ]);
    expect(ledgerOf(folder.path, "acme", "deliveries")).toEqual([]);
    const status = await run("status");
    expect(status.code).toBe(3);
    expect(status.stdout).toContain(`\nReports    weekly  failed just now, next `);
    expect(status.stderr).toContain(`calltally: report:weekly: ${error}\n`);

    await run("sync");
    expect((await run("job", "report:weekly")).code).toBe(0);
    expect(addresses(mail)).toEqual(["marketing@acme.example"]);
    expect((await run("status")).code).toBe(0);
  });

  it("do not stop others when one fails", async () => {
    using folder = makeFolder();
    await using acme = await startSandbox({ calls: 50, token: "t0ken-of-acme" });
    const broken = "  broken:\n    contents: [channel]\n    filter: { source: nowhere }\n";
    configure(folder.path, { acme }, `${broken}${WEEKLY}`);
    await folder.run("sync");
    const both = await folder.run("run", "broken", "weekly", "--json");
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
    const alone = await folder.run("run", "broken");
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

  it("mail personal data only on request", async () => {
    using folder = makeFolder();
    await using acme = await startSandbox({ calls: 100, token: "t0ken-of-acme" });
    await using mail = await startMailServer({ lacksTls: true });
    const reports = (more: string) =>
      `  leads:\n    contents: [calls]\n    with: [caller_id]\n    range: { last: 4w }\n${more}    deliver: [{ email: { to: [marketing@acme.example] } }]\n`;
    configure(folder.path, { acme }, reports(""), mail);
    await folder.run("sync");
    const refused = await folder.run("run", "leads", "--deliver");
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/personal_data/) });
    // Refused before anything is written, also by config check.
    expect(ledgerOf(folder.path, "acme", "report_runs")).toEqual([]);
    expect((await folder.run("config", "check")).stdout).toContain(
      "calls: personal data is only delivered on request",
    );
    expect(mail.taken).toEqual([]);
    configure(folder.path, { acme }, reports("    personal_data: true\n"), mail);
    expect((await folder.run("run", "leads", "--deliver")).code).toBe(0);
    expect(addresses(mail)).toEqual(["marketing@acme.example"]);
  });
});

/** Makes the last sync of acme older. */
function age(folder: string, hours: number): void {
  const database = new Database(join(folder, "data/acme/calltally.db"));
  database
    .prepare("UPDATE sync_runs SET finished_at = strftime('%Y-%m-%dT%H:%M:%fZ', finished_at, ?)")
    .run(`${-hours} hours`);
  database.close();
}
