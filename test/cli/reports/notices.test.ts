import { describe, expect, it } from "vitest";
import { insertNotice } from "../../../src/features/notices/notice-table.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { type Tx, writeTransaction } from "../../../src/warehouse/transaction.ts";
import { settingsFor } from "../../support/run.ts";
import { type ServedCall, startCallService } from "../../support/services/call-service.ts";
import { readText } from "../../support/temp-folder.ts";
import { makeFolder, makeSandboxFolder } from "../folder.ts";

const HOUR_MS = 3_600_000;
const agoOf = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();

/** A notice of 20 hours ago, found two hours later. */
const NOTICE = {
  ...({
    dimension: "source",
    key: '{"source":"<b>bing</b>"}',
    kind: "silent",
    calls: 0,
    expected: 18.3,
  } as const),
  since: agoOf(20),
  judged_until: agoOf(18),
  noticed_at: agoOf(18),
  run_id: 1,
};

function write(database: string, work: (tx: Tx) => void): void {
  using warehouse = openExistingWarehouse(database);
  writeTransaction(warehouse, work);
}

/** Calls to three numbers, two or three in each hour up to now; the first one had none for twelve hours. */
function callsUpToNow(): ServedCall[] {
  const nowMs = Date.now();
  const calls = Array.from({ length: 70 * 24 }, (_, hour) => nowMs - (hour + 1) * HOUR_MS).flatMap(
    (startMs) =>
      ["+15125550117", "+15125550118", "+15125550119"]
        .filter((_, index) => index > 0 || startMs < nowMs - 12 * HOUR_MS)
        .flatMap((tracking_number, index) =>
          Array.from({ length: 2 + (new Date(startMs).getUTCHours() % 2) }, (_, call) => ({
            tracking_number,
            duration: 60,
            disposition: "ANSWERED",
            dni_data: { utm_source: "google" },
            call_started: new Date(startMs + call * 600_000 + index * 1000).toISOString(),
          })),
        ),
  );
  return calls
    .toSorted((a, b) => b.call_started.localeCompare(a.call_started))
    .map((call, index, { length }) => ({ ...call, call_id: length - index }));
}

describe("notice", () => {
  it("the sync that found a notice prints it, without names if the output may be logged", async () => {
    const calls = callsUpToNow();
    const upTo = (hours: number) => calls.filter((call) => call.call_started < agoOf(hours));
    await using service = await startCallService(upTo(48));
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

  it("status, and the page of all calls of its days, show a notice", async () => {
    await using folder = await makeSandboxFolder({ calls: 200 });
    const { run } = folder;
    await run("sync");
    write(folder.database, (tx) => insertNotice(tx, NOTICE));
    expect((await run("status")).stdout).toMatch(
      /^Notices {4}source <b>bing<\/b>: no call since .{17}, 18\.3 expected$/m,
    );
    for (const [days, isShown] of [
      ["--last today", true],
      ["--last today --channel Direct --allow-empty", false],
      ["--from 2026-01-01 --to 2026-01-31", false],
    ] as const) {
      await run(`report --out page ${days}`);
      const page = readText(folder.path, "page/report.html");
      expect(page.includes("source &lt;b&gt;bing&lt;/b&gt;: no call since"), days).toBe(isShown);
    }
  });
});
