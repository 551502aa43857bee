import { expect, it } from "vitest";
import { attempt } from "../../../src/base/errors.ts";
import { CALL_COLUMNS, TRANSCRIPT_COLUMNS } from "../../../src/calls/columns.ts";
import { seededRandom } from "../../../src/sandbox/random.ts";
import { FACT_COLUMNS } from "../../../src/warehouse/calls/facts.ts";
import { readCertificate } from "../../../src/warehouse/runs/certificate-table.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { DRAWING, draws } from "../../support/draws.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";
import { ListedCalls, problemsOf } from "./warehouses.ts";

const FLIPS = draws(1000);

/** Everything that affects a figure or a verdict. The query of a recording link signs it, and affects no figure. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  calls: [...CALL_COLUMNS.filter((name) => name !== "recording_url" && name !== "call_id"), "row_hash"],
  transcripts: TRANSCRIPT_COLUMNS,
  call_facts: FACT_COLUMNS.filter((name) => name !== "call_id"),
  callers: ["caller", "first_call_id", "first_call_started"],
  certificates: ["sha256", "lines"],
  sync_runs: [
    "started_at",
    "finished_at",
    "verdict",
    "order_key",
    "first_total",
    "last_total",
    "calls_read",
    "row_hash",
  ],
};

async function fill(warehouse: Warehouse): Promise<void> {
  const service = new ListedCalls(warehouse);
  await service.sync("full");
  service.calls.splice(30, 1);
  await service.sync("full");
}

/** Returns a value with one bit flipped. */
function flip(value: unknown, random: () => number): unknown {
  if (typeof value === "number") return value ^ (1 << Math.floor(random() * 31));
  const bytes = Buffer.from(value as string | Buffer);
  const at = Math.floor(random() * bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  return typeof value === "string" ? bytes.toString("latin1") : bytes;
}

it(`verify finds each of ${FLIPS} flipped bits that affect a figure or a verdict`, async () => {
  using warehouse = newWarehouse();
  await fill(warehouse);
  expect(await problemsOf(warehouse)).toEqual([]);
  const { seed } = DRAWING;
  const random = seededRandom(seed);
  const { sqlite } = warehouse;
  sqlite.pragma("foreign_keys = OFF");
  const draw = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const texts = new Map([1, 2].map((run) => [run, attempt(() => readCertificate(warehouse, run))]));
  const unseen: unknown[] = [];
  const flipped = new Map<string, number>();
  for (let count = 0; count < FLIPS; ) {
    const table = draw(Object.keys(COLUMNS));
    const column = draw(COLUMNS[table] ?? []);
    const last = table === "sync_runs" ? "WHERE run_id = (SELECT max(run_id) FROM sync_runs)" : "";
    const rows = sqlite
      .prepare<[], { id: number; value: unknown }>(
        `SELECT rowid AS id, "${column}" AS value FROM "${table}" ${last}`,
      )
      .all();
    const { id, value } = draw(rows);
    if (value === null || value === "") continue;
    const other = flip(value, random);
    const write = sqlite.prepare(`UPDATE "${table}" SET "${column}" = ? WHERE rowid = ?`);
    write.run(other, id);
    const problems = await problemsOf(warehouse);
    // Some bits of compressed bytes mean nothing.
    const isSame = column === "lines" && attempt(() => readCertificate(warehouse, id)) === texts.get(id);
    if (problems.length === 0 && !isSame)
      unseen.push({
        seed,
        table,
        column,
        value: String(value).slice(0, 80),
        other: String(other).slice(0, 80),
      });
    write.run(value, id);
    flipped.set(table, (flipped.get(table) ?? 0) + 1);
    count++;
  }
  expect(unseen).toEqual([]);
  expect(Math.min(...Object.keys(COLUMNS).map((table) => flipped.get(table) ?? 0))).toBeGreaterThan(
    FLIPS / 20,
  );
});
