import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CalltallyError } from "../../../src/base/errors.ts";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { type Forgettable, forgetCallers } from "../../../src/operate/forget/forget-callers.ts";
import { parseWhom } from "../../../src/operate/forget/parse-whom.ts";
import { checkCalls } from "../../../src/warehouse/attribution/check-calls.ts";
import { keepingAll } from "../../../src/warehouse/calls/call-guard.ts";
import { prepareUpsertCalls } from "../../../src/warehouse/calls/call-table.ts";
import { openCallerHash } from "../../../src/warehouse/calls/caller-hash.ts";
import { readForgotten } from "../../../src/warehouse/calls/forgotten-callers.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { CALLER, NATIONAL_SPELLINGS, NEIGHBOR, PAIRS, SPELLINGS } from "../../support/phone-spellings.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { locked, newWarehouse, setRules } from "../../support/warehouses/warehouse.ts";

const NOW_MS = Date.parse("2026-11-20T12:00:00.000Z");

/** A warehouse with a call for each text, numbered from 1, and one of the neighbor, 999. */
function open(texts: readonly string[], { hasDigests = false } = {}) {
  const warehouse = newWarehouse();
  setRules(warehouse, { ...DEFAULT_RULES, ...(hasDigests && { caller_digests: true }) });
  serve(warehouse, texts, 1);
  serve(warehouse, [NEIGHBOR], 999);
  return warehouse;
}

function serve(warehouse: Warehouse, texts: readonly string[], firstId: number): void {
  const calls = texts.map((caller_id, index) =>
    makeCall({ call_id: firstId + index, caller_id, summary: "A tap." }),
  );
  writeTransaction(warehouse, (tx) => {
    const keeping = keepingAll(warehouse);
    return prepareUpsertCalls(warehouse, 1, { keeping, isFirstLoad: false })(tx, calls);
  });
}

const forget = (warehouse: Warehouse, whom: readonly Forgettable[]) =>
  forgetCallers(locked(warehouse), whom, { nowMs: NOW_MS, isUnknownAllowed: true });

const readCallers = ({ sqlite }: Warehouse, where: string) =>
  sqlite
    .prepare<[], [number: string, caller: string, summary: string | null]>(
      `SELECT c.caller_id, caller, summary FROM calls AS c JOIN call_facts AS f USING (call_id)
        JOIN callers ON callers.caller_id = f.caller_id LEFT JOIN transcripts USING (call_id) WHERE ${where}`,
    )
    .raw()
    .all();

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof CalltallyError) return error.message;
    throw error;
  }
  return "none";
}

const named = (texts: readonly string[], options: Partial<Parameters<typeof parseWhom>[1]> = {}) =>
  parseWhom(texts, { hashes: [], ...options }).map((one) => ("caller" in one ? one.caller : one.callerHash));

describe("parseWhom", () => {
  it.each(SPELLINGS)("reads the caller of %j, alone and in a file", (text) => {
    expect(named([text])).toEqual([CALLER]);
    using folder = makeTempFolder();
    const file = join(folder.path, "numbers.txt");
    writeFileSync(file, `\n${text}\n# a comment\n${NEIGHBOR} # another\n`);
    expect(named([], { file })).toEqual([CALLER, NEIGHBOR]);
  });

  it.each(NATIONAL_SPELLINGS)("adds the country code to %j", (text) => {
    expect(named([text], { countryCode: "1" })).toEqual([CALLER]);
  });

  it("reads both numbers of an argument, and refuses two in a line", () => {
    expect(PAIRS.map((text) => named([text]))).toEqual(PAIRS.map(() => [CALLER, NEIGHBOR]));
    using folder = makeTempFolder();
    const file = join(folder.path, "numbers.txt");
    writeFileSync(file, `${NEIGHBOR}\n${PAIRS[0]}\n`);
    expect(refusal(() => named([], { file }))).toBe(
      `Cannot use --file ${file}: line 2 has several phone numbers`,
    );
  });

  it("names neither a number that cannot be known nor one that may lack its country code", () => {
    expect(refusal(() => named(["5.12555E+09"]))).toBe(
      "Cannot forget the number: it is not a phone number with its country code",
    );
    const ambiguous =
      "Cannot forget number 2: it is not a number of the country code 49, or may already begin with it";
    expect(refusal(() => named(["030 1234567", "4930 1234567"], { countryCode: "49" }))).toBe(ambiguous);
  });
});

describe.each([false, true])("forgetCallers, with digests of callers: %j", (hasDigests) => {
  it("removes all spellings of a number as one caller", async () => {
    using warehouse = open(SPELLINGS, { hasDigests });
    expect(new Set(readCallers(warehouse, "call_id < 999").map(([, caller]) => caller)).size).toBe(1);
    const { counts, unknown, spellings } = forget(warehouse, [{ caller: CALLER }]);
    expect([counts.callers, counts.calls, unknown]).toEqual([1, SPELLINGS.length, []]);
    expect(new Set(spellings)).toEqual(new Set(SPELLINGS));
    const [{ pseudonym } = { pseudonym: "" }] = readForgotten(warehouse);
    expect(readCallers(warehouse, "call_id < 999")).toEqual(
      SPELLINGS.map(() => [pseudonym, pseudonym, null]),
    );
    expect(readCallers(warehouse, "call_id = 999")).toMatchObject([[NEIGHBOR, {}, "A tap."]]);
    expect(await checkCalls(warehouse)).toMatchObject({ damaged: [], others: [], orphans: [] });
  });

  it("recognizes the caller in each spelling that is served later", () => {
    using warehouse = open([CALLER], { hasDigests });
    forget(warehouse, [{ caller: CALLER }]);
    const [{ pseudonym } = { pseudonym: "" }] = readForgotten(warehouse);
    serve(warehouse, SPELLINGS, 2);
    const own = readCallers(warehouse, "call_id < 999");
    expect(own).toEqual(Array(SPELLINGS.length + 1).fill([pseudonym, pseudonym, null]));
    // Each of these was another caller before.
    const others = [...NATIONAL_SPELLINGS, ...PAIRS];
    serve(warehouse, others, 1000);
    const rows = readCallers(warehouse, "call_id >= 1000");
    expect(
      rows.map(([number, caller, summary]) => [
        /^forgotten[\da-f]{16}$/.test(number),
        number === caller,
        summary,
      ]),
    ).toEqual(others.map(() => [true, true, null]));
    expect(rows.some(([number]) => number === pseudonym)).toBe(false);
    expect(new Set(rows.slice(0, NATIONAL_SPELLINGS.length).map(([number]) => number)).size).toBe(1);
    expect(readCallers(warehouse, "call_id = 999")).toMatchObject([[NEIGHBOR, {}, "A tap."]]);
  });

  it("forgets the national number, but not another caller's whole number with its digits", async () => {
    const abroad = "+5125550101";
    using warehouse = open(["(512) 555-0101", abroad], { hasDigests });
    expect(forget(warehouse, [{ caller: CALLER }]).unknown).toEqual([]);
    expect(await checkCalls(warehouse)).toMatchObject({ damaged: [], others: [] });
    const [first, second] = readCallers(warehouse, "call_id < 999");
    expect(first).toEqual([expect.stringMatching(/^forgotten/), first?.[0], null]);
    const name = hasDigests ? openCallerHash(warehouse.path).hash(abroad) : abroad;
    expect(second).toEqual([abroad, name, "A tap."]);
  });

  it("accepts the hash that earlier versions gave a spelling, before and after it is served", () => {
    using warehouse = open(["tel:+15125550101"], { hasDigests });
    const callerHash = openCallerHash(warehouse.path).hash("tel15125550101");
    expect(forget(warehouse, [{ callerHash }])).toMatchObject({ unknown: [], callers: [CALLER] });
    serve(warehouse, [CALLER], 2);
    expect(new Set(readCallers(warehouse, "call_id < 999").map(([number]) => number)).size).toBe(1);
    expect(readCallers(warehouse, "call_id = 2")).toEqual([
      [expect.stringMatching(/^forgotten/), expect.any(String), null],
    ]);
    using empty = open([], { hasDigests });
    const unserved = openCallerHash(empty.path).hash("15125550101ext12");
    forget(empty, [{ callerHash: unserved }]);
    serve(empty, ["+1 512 555 0101 ext. 12"], 1);
    expect(readCallers(empty, "call_id = 1")[0]?.[0]).toBe(readForgotten(empty)[0]?.pseudonym);
  });
});
