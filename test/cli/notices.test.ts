import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { endNotice, insertNotice } from "../../src/notices/notice-table.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { openExistingWarehouse } from "../../src/warehouse/open.ts";
import { type Tx, writeTransaction } from "../../src/warehouse/transaction.ts";
import { startMailServer, type TakenMail } from "../delivery/mail-server.ts";
import { type ServedCall, startListService } from "../support/list-service.ts";
import { settingsFor } from "../support/run.ts";
import { writeAccounts } from "./agency.ts";
import { makeFolder } from "./folder.ts";

const agoOf = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

/** A notice that many hours ago, found two hours later. */
function notice(dimension: "tracking_number" | "source", value: string, hours: number) {
  return {
    ...{
      dimension,
      key: JSON.stringify({ [dimension]: value }),
      kind: "silent" as const,
      calls: 0,
      expected: 18.3,
    },
    ...{ since: agoOf(hours), judged_until: agoOf(hours - 2), noticed_at: agoOf(hours - 2), run_id: 1 },
  };
}

function write(database: string, work: (tx: Tx) => void): void {
  using warehouse = openExistingWarehouse(database);
  writeTransaction(warehouse, work);
}

/** The lines of a mail's text that begin with a notice. */
function noticesIn({ raw }: TakenMail): string[] {
  const text = raw.replaceAll("=\r\n", "").replaceAll("=3D", "=");
  return [...text.matchAll(/^- Notice: (.*)\r$/gm)].map(([, said = ""]) => said);
}

const HOUR_MS = 3_600_000;

/** Calls to three numbers, two or three in each hour up to now; the first one had none for twelve hours. */
function callsUpToNow(): ServedCall[] {
  const nowMs = Date.now();
  const calls = Array.from({ length: 70 * 24 }, (_, hour) => nowMs - (hour + 1) * HOUR_MS).flatMap(
    (startMs) =>
      ["+15125550117", "+15125550118", "+15125550119"]
        .filter((_, index) => index > 0 || startMs < nowMs - 12 * HOUR_MS)
        .flatMap((tracking_number, index) =>
          Array.from({ length: 2 + (new Date(startMs).getUTCHours() % 2) }, (_, call) => ({
            ...{ tracking_number, duration: 60, disposition: "ANSWERED", dni_data: { utm_source: "google" } },
            call_started: new Date(startMs + call * 600_000 + index * 1000).toISOString(),
          })),
        ),
  );
  return calls
    .toSorted((a, b) => b.call_started.localeCompare(a.call_started))
    .map((call, index, { length }) => ({ ...call, call_id: length - index }));
}

describe("notice", () => {
  it("is printed by the sync that found it, without names if the output may be logged", async () => {
    const calls = callsUpToNow();
    const upTo = (hours: number) => calls.filter((call) => call.call_started < agoOf(hours));
    await using service = await startListService(upTo(48));
    using folder = makeFolder(settingsFor({ url: service.url.href, token: "secret-token" }));
    const sync = (...args: string[]) => folder.run("sync", ...args);
    expect((await sync()).code).toBe(0);
    const database = folder.database;
    write(database, ({ sqlite }) =>
      sqlite.exec(`UPDATE sync_runs SET started_at = '${agoOf(48)}', finished_at = '${agoOf(48)}'`),
    );
    service.calls = upTo(0);
    const { code, stdout, stderr } = await sync();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "calltally: 1 notice: see calltally status\n" });
    expect(stdout).toMatch(/^ {2}notice {4}\+15125550117: no call since .{17,18}, [\d.]+ expected$/m);
    expect((await sync("--quiet")).stderr).toBe("");
  });

  it("is mailed with each report once when it starts and once when it ends, and shown by status and on the page", async () => {
    using folder = makeFolder();
    await using sandbox = await startSandbox({ calls: 200 });
    let refusal: number | undefined;
    await using mail = await startMailServer({ onRcpt: () => refusal });
    const url = `smtp://127.0.0.1:${mail.port}?from=calls@example.com`;
    writeFileSync(join(folder.path, "smtp.url"), url, { mode: 0o600 });
    writeAccounts(folder.path, { acme: sandbox }, { top: "smtp_url_file: smtp.url\n" });
    const deliver = "    deliver: [{ email: { to: [marketing@acme.example] } }]\n";
    const report = (name: string, more = "") =>
      `  ${name}:\n    contents: [channel]\n    range: { last: 4w }\n${more}${deliver}`;
    appendFileSync(
      join(folder.path, "calltally.yaml"),
      `reports:\n${report("daily")}${report("google", "    filter: { channel: Paid Search }\n")}`,
    );
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await folder.run(...args);
      expect({ code, stderr }, args.join(" ")).toEqual({ code: 0, stderr: "" });
      return stdout;
    };
    const delivered = async (name: string) => {
      const before = mail.taken.length;
      await run("run", name, "--deliver");
      const [taken, ...others] = mail.taken.slice(before);
      expect(others).toEqual([]);
      return taken === undefined ? undefined : noticesIn(taken);
    };
    await run("sync");
    const database = join(folder.path, "data/acme/calltally.db");
    write(database, (tx) => insertNotice(tx, notice("tracking_number", "+15125550117", 30)));
    const silent = /^\+15125550117: no call since \d+ \w{3} \d{4} \d\d:\d\d, 18\.3 expected\.$/;
    expect(await delivered("daily")).toEqual([expect.stringMatching(silent)]);
    expect(await delivered("daily")).toEqual([]);
    expect(await delivered("google")).toEqual([]);
    expect(await run("status")).toMatch(/^Notices {4}\+15125550117: no call since .{17}, 18\.3 expected$/m);

    write(database, (tx) => {
      endNotice(tx, 1, {
        ended_at: agoOf(1),
        end_reason: "calls again",
        end_noticed_at: new Date().toISOString(),
      });
      insertNotice(tx, { ...notice("source", "<b>bing</b>", 20), noticed_at: new Date().toISOString() });
    });
    // A report that reached nobody has informed nobody.
    refusal = 552;
    expect((await folder.run("run daily --deliver")).code).toBe(9);
    refusal = undefined;
    // Only the text part has it unescaped: the other part is HTML.
    expect(await delivered("daily")).toEqual([
      expect.stringMatching(/^source <b>bing<\/b>: no call since .{17,18}, 18\.3 expected\.$/),
      expect.stringMatching(
        /^\+15125550117: calls again since .{17,18}, after no call since .{17,18}, 18\.3 expected\.$/,
      ),
    ]);
    expect(await delivered("daily")).toEqual([]);
    expect(mail.taken.at(-2)?.raw.replaceAll("=\r\n", "")).toContain("source &lt;b&gt;bing");

    await run("report", "--last", "today", "--out", "page");
    const page = readFileSync(join(folder.path, "page/report.html"), "utf8");
    expect(page).toContain("source &lt;b&gt;bing&lt;/b&gt;: no call since");
    await run("report", "--last", "today", "--out", "page", "--channel", "Paid Search", "--allow-empty");
    expect(readFileSync(join(folder.path, "page/report.html"), "utf8")).not.toContain("no call since");
    await run("report", "--from", "2026-01-01", "--to", "2026-01-31", "--out", "page");
    expect(readFileSync(join(folder.path, "page/report.html"), "utf8")).not.toContain("no call since");
  });
});
