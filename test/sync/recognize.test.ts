import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseOutdated, parseUnrecognized } from "../../src/api/recognized-page.ts";
import { parseServedRow, takeFingerprint } from "../../src/api/served-row.ts";
import { keepingAll } from "../../src/warehouse/calls/call-guard.ts";
import { prepareUpsertCalls } from "../../src/warehouse/calls/call-table.ts";
import { prepareRecognize } from "../../src/warehouse/calls/recognize.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { rowOf, rowsOf, startRowService, syncFrom } from "../support/row-service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { newWarehouse, readRows } from "../support/warehouse.ts";

const recorded = (signature: string, members = {}) =>
  JSON.stringify({
    ...JSON.parse(rowOf(3)),
    recording_url: `https://r.example/3?Sig=${signature}`,
    ...members,
  });

describe("syncWarehouse, where most calls are served as they were before,", () => {
  it("finds the one that changed, and takes neither a new signature nor another order of members for a change", async () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    await using service = await startRowService([...rowsOf(1, 2), recorded("one"), ...rowsOf(4, 60)]);
    const full = { force: "full" } as const;
    expect(await syncFrom(service, folder.path, full)).toMatchObject({ calls_new: 60, verdict: "exact" });

    const { call_id, call_started, duration } = JSON.parse(rowOf(50));
    const reordered = JSON.stringify({ call_id, duration, call_started });
    service.rows[2] = recorded("two");
    service.rows[10] = JSON.stringify({ ...JSON.parse(rowOf(11)), duration: 61 });
    service.rows[49] = reordered;
    const again = { calls_new: 0, calls_unchanged: 59, calls_changed: 1, verdict: "exact" };
    expect(await syncFrom(service, folder.path, full)).toMatchObject(again);
    expect(readRows(database, "SELECT duration FROM calls WHERE changed_run_id = 2")).toEqual([
      { duration: 61 },
    ]);
    // It is recognized as it was served last.
    const hash = `SELECT served_hash FROM calls WHERE call_id = 50`;
    expect(readRows(database, hash)).toEqual([
      { served_hash: takeFingerprint(Buffer.from(reordered))?.hash },
    ]);

    // With another member first, where one call ends and the next begins is not seen.
    service.rows[49] = JSON.stringify({ duration, call_id, call_started });
    service.rows[2] = recorded("three", { summary: "A tap." });
    expect(await syncFrom(service, folder.path, full)).toMatchObject(again);
    expect(readRows(database, "SELECT summary FROM transcripts")).toEqual([{ summary: "A tap." }]);
  });
});

describe("parseOutdated", () => {
  const bytes = Buffer.from(rowOf(1));
  const parse = () => {
    throw new Error("It was cut in the right places");
  };
  const page = {
    served: [bytes],
    startDeadline: () => () => undefined,
    parse,
    total: 1,
    limit: 1,
    offset: 0,
    requestId: undefined,
  };

  it("parses a call that was known when its page came, and was written since", () => {
    using warehouse = newWarehouse();
    const [upsertCalls, recognize] = [
      prepareUpsertCalls(warehouse, 1),
      prepareRecognize(warehouse, new Set(), keepingAll(warehouse)),
    ];
    const row = parseServedRow(bytes);
    if (!("call" in row)) throw new Error("It was rejected");
    writeTransaction(warehouse, (tx) => upsertCalls(tx, [row.call], [row.served]));

    const { rows } = parseUnrecognized(page, recognize);
    expect(rows).toEqual([{ known: expect.objectContaining({ call_id: 1 }), bytes }]);
    expect(parseOutdated(rows, recognize)).toEqual(rows);
    writeTransaction(warehouse, (tx) => upsertCalls(tx, [{ ...row.call, duration: 61 }]));
    expect(parseOutdated(rows, recognize)).toEqual([row]);
  });

  it("parses a call that is on its page twice", () => {
    const known = { call_id: 1, hash: "", call_started: null, insight_name: null, isResigned: false };
    const twice = [
      { known, bytes },
      { known, bytes },
    ];
    expect(parseOutdated(twice, (served) => served.map(() => known))).toEqual(
      [bytes, bytes].map((row) => parseServedRow(row)),
    );
  });
});
