import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/call/columns.ts";
import { makeWarehouse } from "../../support/figures/produce-files.ts";
import { readText } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";

const LAST_DAY = "2026-03-28";

async function exportHygiene(calls: readonly Partial<Call>[]) {
  using warehouse = makeWarehouse(
    calls.map((members, index) => makeCall({ call_id: index + 1, ...members })),
  );
  const made = await warehouse.export({
    targets: [{ kind: "hygiene" }],
    format: { format: "json" },
    range: { to: LAST_DAY },
  });
  const rows: Record<string, string | number | null>[] = JSON.parse(readText(made.folder, "hygiene.json"));
  return { rows, file: made.manifest.files[0] };
}

const callsOn = (day: string, count: number, members: Partial<Call>) =>
  Array.from({ length: count }, () => ({ call_started: `${day}T10:00:00.000Z`, ...members }));

describe("writeHygiene", () => {
  it("counts calls of the 28 days up to the last selected one, and dates the first call at any time", async () => {
    const { rows, file } = await exportHygiene([
      ...callsOn("2026-01-10", 1, { utm_source: "facebok" }),
      ...callsOn("2026-02-28", 1, { utm_source: "facebok" }),
      ...callsOn("2026-03-01", 2, { utm_source: "facebok" }),
      ...callsOn(LAST_DAY, 20, { utm_source: "facebook" }),
      ...callsOn("2026-03-29", 4, { utm_source: "facebok" }),
    ]);
    expect(rows).toEqual([
      {
        problem: "near_miss",
        field: "source",
        value: "facebok",
        other: "facebook",
        calls: 2,
        since: "2026-01-10T10:00:00.000Z",
        file: "aliases",
        line: "facebok,facebook,source",
      },
      {
        problem: "new_source",
        field: "source",
        value: "facebook",
        other: null,
        calls: 20,
        since: `${LAST_DAY}T10:00:00.000Z`,
        file: null,
        line: null,
      },
    ]);
    expect(file).toMatchObject({ contents: "hygiene", rows: 2 });
  });

  it("does not treat a click id of Search Ads 360 as a contradiction", async () => {
    const { rows } = await exportHygiene([
      ...callsOn(LAST_DAY, 1, { utm_source: "bing", utm_medium: "cpc", gclid: "a", gclsrc: "3p.ds" }),
      ...callsOn(LAST_DAY, 2, { utm_source: "bing", utm_medium: "cpc", gclid: "b", gclsrc: "aw.ds" }),
    ]);
    expect(rows).toMatchObject([{ problem: "contradiction", value: "bing", calls: 2 }]);
  });
});
