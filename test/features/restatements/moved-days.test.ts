import { join } from "node:path";
import { expect, it } from "vitest";
import { readRestatements } from "../../../src/features/restatements/restatement-table.ts";
import { openWarehouse } from "../../../src/warehouse/file/open.ts";
import { makeWarehouse, type Target } from "../../support/figures/produce-files.ts";
import { makeCall } from "../../support/warehouses/calls.ts";

const SOURCE: Target = { kind: "rollup", dimensions: ["source"] };
/** Two calls on each of four Wednesdays. */
const CALLS = [5, 12, 19, 26].flatMap((day) =>
  ["google", "bing"].map((utm_source, index) =>
    makeCall({
      call_id: 10 * day + index,
      call_started: `2026-08-${String(day).padStart(2, "0")}T12:00:00.000Z`,
      utm_source,
      disposition: "ANSWERED",
    }),
  ),
);
/** Four weeks, and the four of a report a week later: both are complete. */
const FIRST = { from: "2026-08-03", to: "2026-08-30" };
const NEXT = { from: "2026-08-10", to: "2026-09-06" };
/** Thirty days, and those of the next day: weeks at the ends are cut in two ways. */
const THIRTY = { from: "2026-08-01", to: "2026-08-30" };
const NEXT_THIRTY = { from: "2026-08-02", to: "2026-08-31" };

it.each([
  { days: "four weeks", first: FIRST, next: NEXT, periods: ["2026-W33", "2026-W34", "2026-W35"] },
  {
    days: "thirty days",
    first: THIRTY,
    next: NEXT_THIRTY,
    periods: ["2026-W32", "2026-W33", "2026-W34", "2026-W35"],
  },
  { days: "the same days", first: FIRST, next: FIRST, periods: [""] },
])(
  "a file of $days that moved on is compared by the weeks that both have",
  async ({ first, next, periods }) => {
    using warehouse = makeWarehouse(CALLS);
    const write = (folder: string, range: object, grain?: "week") =>
      warehouse.export({
        folder: join(warehouse.folder, folder),
        targets: [SOURCE],
        range,
        total: true,
        grain,
      });
    await write("plain", first);
    await write("weeks", first, "week");
    warehouse.execute("UPDATE call_facts SET outcome = 'missed' WHERE source = 'google'");
    const { manifest } = await write("plain", next);
    await write("weeks", next, "week");
    using reader = openWarehouse(warehouse.database);
    const found = readRestatements(reader).map(
      ({ path, contents, period, metric, was, now, reasons, key }) => ({
        isPlain: path.includes("plain"),
        contents,
        figure: { period, metric, was, now, reasons, key },
      }),
    );
    const [plain, weeks] = [true, false].map((is) => found.filter(({ isPlain }) => isPlain === is));
    expect([...new Set(plain?.map(({ figure }) => figure.period))]).toEqual(periods);
    if (periods[0] !== "") {
      expect(plain?.map(({ figure }) => figure)).toEqual(weeks?.map(({ figure }) => figure));
      expect([...new Set(plain?.map(({ contents }) => contents))]).toEqual(["source by week"]);
    }
    const restated = manifest.restatements?.rollups.filter(({ restated_cells }) => restated_cells);
    expect(restated).toMatchObject([{ restated_cells: plain?.length }]);
  },
);
