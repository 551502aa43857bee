import { describe, expect, it } from "vitest";
import { exitCodeOf } from "../../src/sync/run.ts";
import {
  type CallService,
  failsOn,
  rowOf,
  rowsOf,
  startRowService,
} from "../support/services/call-service.ts";
import { text } from "../support/services/server.ts";

/** Pages of 20 rows overlap by 10, so they start at 0, 10, 20, … and each row but the first ten is on two of them. */
const IDS = Array.from({ length: 40 }, (_, index) => index + 1);

const without = (bad: readonly number[]) => IDS.filter((id) => !bad.includes(id));

/** The rejected rows of a warehouse, by the previous call and the distance from it. */
function readUndelivered({ read }: CallService<string>) {
  const rows = read(
    `SELECT json AS place, reason, call_id FROM rejected_calls
     ORDER BY json ->> 'undelivered_after_call_id', json ->> 'rows_after'`,
  );
  return rows.map((row) => ({ ...row, place: JSON.parse(String(row.place)) }));
}

const follows = (undelivered_after_call_id: number | null, rows_after = 1) => ({
  undelivered_after_call_id,
  rows_after,
});

describe("sync of a service that fails on some rows", () => {
  it.each([
    { title: "in the middle", bad: [25], places: [follows(24)] },
    {
      title: "five, the most that one page may have",
      bad: [22, 24, 26, 28, 30],
      places: [21, 23, 25, 27, 29].map((id) => follows(id)),
    },
  ])("keeps all other calls and names each failing row once: $title", async ({ bad, places }) => {
    await using service = await startRowService(IDS.map(rowOf), failsOn(bad));
    for (const runs of [1, 2]) {
      const run = await service.sync();
      expect(exitCodeOf(run)).toBe(3);
      expect(run).toMatchObject({
        run_id: runs,
        status: "done",
        verdict: "unverified",
        calls_rejected: bad.length,
      });
      expect(run.verdict_reason).toMatch(
        /^\d+ pages? had to be read in pieces: \d+ calls read, total 40; \d+ rows? of these could not be parsed$/,
      );
      expect(service.readIds()).toEqual(without(bad));
      expect(readUndelivered(service)).toEqual(
        bad.map((id, index) => ({
          place: places[index],
          reason: `the service fails on the row at offset ${id - 1}: The API returned 500 (46 bytes)`,
          call_id: null,
        })),
      );
    }
  });

  it("keeps the other rows of a page if one is nested too deeply", async () => {
    const deep = `{"call_id":25,"x":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    await using service = await startRowService(IDS.map((id) => (id === 25 ? deep : rowOf(id))));
    const run = await service.sync();
    expect(run).toMatchObject({ verdict: "unverified", calls_rejected: 1 });
    const reason = expect.stringContaining("nested too deeply");
    expect(readUndelivered(service)).toEqual([{ place: follows(24), reason, call_id: null }]);
    expect(service.readIds()).toEqual(without([25]));
  });
});

describe("sync of a service that fails on large pages", () => {
  const timeOut = text("<html>504 Gateway Time-out</html>", 504, { "content-type": "text/html" });

  it("keeps the page size that works, for later runs too", async () => {
    await using service = await startRowService(rowsOf(1, 41), ({ rows }) =>
      rows.length > 7 ? timeOut : undefined,
    );
    const first = await service.sync();
    const asked = service.requests.length;
    expect(first).toMatchObject({ verdict: "exact", calls_read: 41, page_rows: 5 });
    const next = { force: undefined, fullEveryHours: 0 };
    expect(await service.sync(next)).toMatchObject({ verdict: "exact", page_rows: 5 });
    // The failed requests of the first run.
    const failed = asked - (service.requests.length - asked);
    expect(failed).toBeGreaterThan(5);
    service.disturb = () => undefined;
    const whole = await service.sync({ force: "full" });
    expect(whole).toMatchObject({ verdict: "exact", page_rows: null });
  });

  it("requests full pages again after the service was down for a while", async () => {
    await using service = await startRowService(rowsOf(1, 41), ({ before }) =>
      before >= 1 && before < 7 ? timeOut : undefined,
    );
    expect(await service.sync()).toMatchObject({ verdict: "exact", page_rows: null });
  });
});
