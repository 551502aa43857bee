import { randomInt } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Call } from "../../src/call.ts";
import { seededRandom } from "../../src/sandbox/random.ts";
import type { CheckedRow } from "../support/conversion-checker.ts";
import { makeWarehouse } from "../support/produce-files.ts";
import {
  at,
  conversionCall,
  DAY_MS,
  forgetLast,
  HOUR_MS,
  NOW,
  sync,
  writeAdjustments,
  writeNew,
} from "./upload-files.ts";

/** What Google knows: it is told by files alone, and complains of what it would complain of, or drop without a word. */
class Google {
  readonly #orders = new Map<string, { conversion: string; isRetracted: boolean; value: string }>();
  readonly #moments = new Set<string>();
  retracted = 0;

  convert(rows: readonly CheckedRow[]): void {
    for (const row of rows) {
      const order = row["Order ID"] ?? "";
      const moment = JSON.stringify([row["Google Click ID"], row["Conversion Time"], row["Conversion Name"]]);
      if (this.#orders.has(order)) throw new Error(`The order id ${order} was used before`);
      if (this.#moments.has(moment)) throw new Error(`${moment} is there already`);
      this.#moments.add(moment);
      const conversion = `${row["Google Click ID"]} ${order.split("-")[0]}`;
      this.#orders.set(order, { conversion, isRetracted: false, value: row["Conversion Value"] ?? "" });
    }
  }

  adjust(rows: readonly CheckedRow[]): void {
    for (const row of rows) {
      const order = this.#orders.get(row["Order ID"] ?? "");
      if (order === undefined) throw new Error(`There is no conversion ${row["Order ID"]}`);
      if (order.isRetracted) throw new Error(`The conversion ${row["Order ID"]} is retracted already`);
      if (row["Adjustment Type"] === "RETRACT") {
        order.isRetracted = true;
        this.retracted++;
      } else {
        if (order.value === row["Adjusted Value"]) throw new Error("It has this value already");
        order.value = row["Adjusted Value"] ?? "";
      }
    }
  }

  get standing() {
    return [...this.#orders.values()].filter(({ isRetracted }) => !isRetracted);
  }
}

/** The clicks and calls that are conversions at a moment, found by hand. */
function findConversions(calls: ReadonlyMap<number, Call & { isGone: boolean }>, nowMs: number): string[] {
  const qualified = [...calls.values()]
    .filter(({ isGone, disposition }) => !isGone && disposition === "ANSWERED")
    .toSorted((a, b) => (a.call_started ?? "").localeCompare(b.call_started ?? "") || a.call_id - b.call_id);
  const clicks = new Set<string | null>();
  return qualified
    .filter(({ gclid }) => !clicks.has(gclid) && clicks.add(gclid))
    .filter(({ call_started }) => Date.parse(call_started ?? "") <= nowMs - 6 * HOUR_MS)
    .map(({ call_id, gclid }) => `${gclid} ${call_id}`)
    .sort();
}

describe("30 days of syncs, corrections and uploads", () => {
  const counts = { standing: 0, retracted: 0, thrownAway: 0, again: 0, corrected: 0 };

  it.each(Array.from({ length: 3 }, () => randomInt(2 ** 31)))(
    "tell Google of each conversion once, retract each that is none once, and no other: seed %i",
    async (seed) => {
      const random = seededRandom(seed);
      const chance = (share: number) => random() < share;
      const draw = (below: number) => Math.floor(random() * below);
      const calls = new Map<number, Call & { isGone: boolean }>();
      const google = new Google();
      using warehouse = makeWarehouse([]);
      let [nextId, value] = [1, "40"];
      for (let day = 0; day < 30; day++) {
        const nowMs = NOW + day * DAY_MS;
        const synced: Call[] = [];
        const put = (call: Call) => {
          calls.set(call.call_id, { ...call, isGone: false });
          synced.push(call);
        };
        for (const { isGone, ...call } of calls.values()) {
          if (isGone ? chance(0.1) : chance(0.08))
            put({ ...call, disposition: call.disposition === "BUSY" || isGone ? "ANSWERED" : "BUSY" });
          else if (!isGone && chance(0.04)) {
            put({ ...call, gclid: `Cj${draw(12)}` });
            counts.corrected++;
          } else if (!isGone && chance(0.02)) {
            warehouse.markGone(call.call_id, at(nowMs));
            calls.set(call.call_id, { ...call, isGone: true });
          }
        }
        // Later than the changes: what is read for the first time today is not gone today.
        for (let call = draw(4); call > 0; call--) {
          // Some come late, and some clicks bring several calls, at times in one second.
          const started = nowMs - draw(3) * DAY_MS - draw(20) * HOUR_MS;
          const gclid = `Cj${draw(12)}`;
          put(conversionCall(nextId++, { gclid, call_started: at(started - (started % HOUR_MS)) }));
        }
        sync(warehouse, synced);
        if (chance(0.1)) value = String(10 + draw(90));
        const hasConversions = day === 29 || chance(0.5);
        const hasAdjustments = day === 29 || chance(0.5);
        if (hasAdjustments) {
          const { rows } = await writeAdjustments(warehouse, { nowMs, value });
          const isThrownAway = day < 29 && chance(0.3);
          if (isThrownAway) forgetLast(warehouse);
          else google.adjust(rows);
        }
        if (hasConversions) {
          const { rows } = await writeNew(warehouse, { nowMs, value });
          counts.again += rows.filter((row) => row["Order ID"]?.includes("-")).length;
          const isThrownAway = day < 29 && chance(0.3);
          if (isThrownAway) {
            forgetLast(warehouse);
            counts.thrownAway += rows.length;
          } else google.convert(rows);
        }
        if (!hasConversions || !hasAdjustments) continue;
        const isTold = google.standing.map(({ conversion }) => conversion).sort();
        if (day === 29) expect(isTold).toEqual(findConversions(calls, nowMs));
        else expect(new Set(isTold).size).toBe(isTold.length);
      }
      expect(new Set(google.standing.map((order) => order.value))).toEqual(new Set([value]));
      counts.standing += google.standing.length;
      counts.retracted += google.retracted;
    },
  );

  it("had something to tell, to retract and to say again", () => {
    for (const [name, count] of Object.entries(counts)) expect(count, name).toBeGreaterThan(0);
  });
});
