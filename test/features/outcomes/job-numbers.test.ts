import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importOutcomes } from "../../../src/features/outcomes/import-outcomes.ts";
import {
  CALLER,
  NATIONAL_SPELLINGS,
  NEIGHBOR,
  NO_NUMBERS,
  PAIRS,
  SPELLINGS,
} from "../../support/phone-spellings.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const callOf = (call_id: number, caller_id: string) =>
  makeCall({ call_id, caller_id, call_started: `2026-10-0${call_id}T15:00:00.000Z` });
const OWN = callOf(1, CALLER);
const NEIGHBORS = callOf(2, NEIGHBOR);
const ABROAD = callOf(3, "+442079460958");

/** Imports a job for each text; returns the calls of those that have one, and the reasons of the others. */
function importNumbers(
  { path, folder }: { path: string; folder: string },
  texts: readonly string[],
  countryCode?: string,
) {
  const file = join(folder, "jobs.csv");
  const lines = texts.map((text) => `"${text.replaceAll('"', '""')}",2026-10-06,sold`);
  writeFileSync(file, ["phone,date,stage", ...lines, ""].join("\n"));
  const { rejected, assumed } = importOutcomes(
    { database: path, currency: undefined, timezone: "UTC" },
    [file],
    { ...{ source: "jobs", named: "USD", withinDays: 30, map: {}, stages: new Map() }, countryCode },
  );
  return { reasons: [...new Set(rejected.map(({ reason }) => reason))], rejected, assumed };
}

const readCalls = ({ sqlite }: ReturnType<typeof newWarehouse>) =>
  sqlite.prepare<[], number>("SELECT call_id FROM outcomes ORDER BY 1").pluck().all();

describe("the phone number of a job", () => {
  it("finds the caller in each spelling", () => {
    using warehouse = newWarehouse([OWN, NEIGHBORS, ABROAD]);
    expect(importNumbers(warehouse, SPELLINGS)).toMatchObject({ rejected: [], assumed: 0 });
    expect(readCalls(warehouse)).toEqual(SPELLINGS.map(() => 1));
  });

  it("finds a caller who was served in each spelling", () => {
    using warehouse = newWarehouse(
      SPELLINGS.map((text, index) => ({ ...OWN, call_id: index + 1, caller_id: text })),
    );
    expect(importNumbers(warehouse, [CALLER])).toMatchObject({ rejected: [] });
  });

  it("without a country code is completed by --country-code", () => {
    using warehouse = newWarehouse([OWN, NEIGHBORS, ABROAD]);
    expect(importNumbers(warehouse, NATIONAL_SPELLINGS, "1")).toMatchObject({ rejected: [] });
    expect(readCalls(warehouse)).toEqual(NATIONAL_SPELLINGS.map(() => 1));
  });

  it("of ten digits is completed by 1 if all callers have it, which is counted", () => {
    using warehouse = newWarehouse([OWN, NEIGHBORS]);
    const texts = [...NATIONAL_SPELLINGS, CALLER, "555-0101"];
    expect(importNumbers(warehouse, texts)).toMatchObject({
      reasons: ["no call has this number, which has no country code"],
      assumed: NATIONAL_SPELLINGS.length,
    });
    expect(readCalls(warehouse)).toEqual([...NATIONAL_SPELLINGS, CALLER].map(() => 1));
    // Another code is another country.
    expect(importNumbers(warehouse, ["5125550102"], "44").reasons).toEqual(["no call has this number"]);
  });

  it("without a country code is not completed if a caller is from elsewhere", () => {
    using warehouse = newWarehouse([OWN, NEIGHBORS, ABROAD]);
    expect(importNumbers(warehouse, NATIONAL_SPELLINGS)).toMatchObject({
      reasons: ["no call has this number, which has no country code"],
      assumed: 0,
    });
  });

  it("of two numbers is that of the one who called; of two callers, nobody's", () => {
    using one = newWarehouse([OWN, ABROAD]);
    expect(importNumbers(one, PAIRS)).toMatchObject({ rejected: [] });
    expect(readCalls(one)).toEqual(PAIRS.map(() => 1));
    using both = newWarehouse([OWN, NEIGHBORS]);
    expect(importNumbers(both, PAIRS).reasons).toEqual(["the number fits the calls of several callers"]);
    expect(readCalls(both)).toEqual([]);
  });

  it("that cannot be known belongs to nobody", () => {
    using warehouse = newWarehouse([OWN, callOf(2, "5.12555E+09"), callOf(3, "+1 512 555 XXXX")]);
    // A blank cell, or a dash, is no phone at all.
    const texts = NO_NUMBERS.filter((text) => text !== "" && text !== "-");
    expect(importNumbers(warehouse, texts).reasons).toEqual(["not a phone number, or a hidden one"]);
  });
});
