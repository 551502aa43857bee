import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PLAIN } from "../../../src/export/letterhead/letterhead.ts";
import { BRIEF_RETRY, type DeliverOptions, deliver } from "../../../src/reports/delivery/deliver.ts";
import type { DeliveryTarget, EmailTarget } from "../../../src/reports/delivery/delivery-target.ts";
import { startReportRun } from "../../../src/reports/delivery/report-run-table.ts";
import type { ReportFile, ReportSummary } from "../../../src/reports/delivery/report-summary.ts";
import type { SmtpServer } from "../../../src/reports/delivery/smtp-url.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

/** Writes a file of a report. */
export function writeReportFile(folder: string, name: string, content: string | Buffer): ReportFile {
  const path = join(folder, name);
  writeFileSync(path, content);
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { name, path, bytes: Buffer.byteLength(content), sha256, isPersonal: false };
}

/** A report with one small file. */
export function makeSummary(folder: string): ReportSummary {
  return {
    title: "Weekly calls",
    account: "acme",
    letterhead: { ...PLAIN, name: "Acme Roofing" },
    range: "19 October to 15 November 2026, by week",
    sentences: [{ id: "calls", values: { calls: 1204, before: 1071, than: "the month before" } }],
    headline: [
      { name: "Calls", value: "1,204", change: "+12.4%", previous: "1,071", within_chance: false },
      { name: "Answer rate", value: "81.3%", change: "+0.4 points", previous: "80.9%", within_chance: true },
      { name: "First-time callers", value: "640", change: null, previous: null, within_chance: false },
    ],
    verdict: {
      claim: "Complete as of 16 Nov 2026 07:00.",
      reasons: ["Run 4 proved that it read every call."],
      isProven: true,
    },
    statements: [{ id: "provisional", level: "caution", values: {} }],
    notices: [],
    folder,
    files: [writeReportFile(folder, "channel.csv", "channel,calls\r\nDirect,3\r\n")],
    prefix: "",
    manifest: writeReportFile(folder, "manifest.json", "{}\n"),
  };
}

export const VALUES = {
  account: "acme",
  report: "weekly",
  from: "2026-10-19",
  to: "2026-11-15",
  period: "2026-W46",
};

/** A warehouse with one running report run. */
export function makeRun() {
  const warehouse = newWarehouse();
  return {
    folder: warehouse.folder,
    database: warehouse.path,
    warehouse,
    runId: startRun(warehouse),
    summary: makeSummary(warehouse.folder),
    [Symbol.dispose]: () => warehouse[Symbol.dispose](),
  };
}

function startRun(warehouse: Warehouse): number {
  const begun = {
    report: "weekly",
    account: "acme",
    scheduledFor: null,
    startedAt: "2026-11-16T07:00:00.000Z",
  };
  const started = startReportRun(warehouse, begun);
  if (started === undefined) throw new Error("The run is done");
  return started.runId;
}

/** The mail server of a test, as a URL would have it. */
export function smtpAt(port: number, other: Partial<SmtpServer> = {}): SmtpServer {
  return {
    host: "localhost",
    port,
    isImplicitTls: false,
    isLocal: true,
    login: undefined,
    from: { name: "Calls", address: "calls@example.com" },
    ...other,
  };
}

export function emailTo(to: readonly string[], smtp: SmtpServer): EmailTarget {
  return { channel: "email", to, subject: "Calls, week {period}", smtp, attachBytes: 30_000_000 };
}

export function hookTo(server: URL, other: { timeoutMs?: number } = {}): DeliveryTarget {
  return { channel: "webhook", url: new URL("/T0/SECRET-HOOK-17", server), ...other };
}

export function commandTo(script: string, folder: string): DeliveryTarget {
  return { channel: "command", argv: ["sh", "-c", script], cwd: folder };
}

/** Delivers a run on a clock whose waits end immediately. */
export function send(
  { warehouse, runId, summary }: Pick<ReturnType<typeof makeRun>, "warehouse" | "runId" | "summary">,
  targets: DeliveryTarget[],
  options: Partial<DeliverOptions> = {},
) {
  const { signal } = new AbortController();
  const waits = { signal, retry: BRIEF_RETRY, clock: new FakeClock(), random: () => 0.5 };
  return deliver(warehouse, { runId, summary, values: VALUES, targets }, { ...waits, ...options });
}

/** Writes a summary for another process. */
export function writeSummary(summary: ReportSummary): void {
  writeFileSync(join(summary.folder, "summary.json"), JSON.stringify(summary));
}

export function readSummary(folder: string): ReportSummary {
  return JSON.parse(readFileSync(join(folder, "summary.json"), "utf8"));
}
