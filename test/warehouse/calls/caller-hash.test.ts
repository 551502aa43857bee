import { createHmac, hash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CalltallyError } from "../../../src/base/errors.ts";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import {
  openCallerDigests,
  openCallerHash,
  openPseudonyms,
  prepareCallerName,
} from "../../../src/warehouse/calls/caller-hash.ts";
import { callerKeyOf } from "../../../src/warehouse/calls/caller-key.ts";
import { CallerDigests, insertForgotten } from "../../../src/warehouse/calls/forgotten-callers.ts";
import { insertRules } from "../../../src/warehouse/calls/rules.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const KEY = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
const FINGERPRINT = hash("sha256", KEY).slice(0, 16);
const hmac = (text: string, key: string | Buffer = KEY) =>
  createHmac("sha256", key).update(text).digest("hex");
const PSEUDONYM = "forgotten0123456789abcdef";

/** A warehouse with the key next to it. */
function makeWarehouse() {
  const warehouse = newWarehouse();
  const key = callerKeyOf(warehouse.path);
  writeFileSync(key, KEY.toString("hex"));
  return { warehouse, key, [Symbol.dispose]: () => warehouse[Symbol.dispose]() };
}

/** Makes a warehouse identify callers by digests from now on, or by numbers. */
const setKey = (warehouse: Warehouse, callerKey: string | null) =>
  writeTransaction(warehouse, (tx) =>
    insertRules(tx, DEFAULT_RULES, { since: "2026-10-01T00:00:00.000Z", calls: 0, callerKey }),
  );

function refusalOf(work: () => unknown) {
  try {
    work();
  } catch (error) {
    if (!(error instanceof CalltallyError)) throw error;
    return { message: error.message, exitCode: error.exitCode, hint: error.hint };
  }
  return undefined;
}

describe("openCallerHash", () => {
  it("computes keyed hashes of a caller, and of a hash, that can be reproduced with the key", () => {
    using made = makeWarehouse();
    const opened = openCallerHash(made.warehouse.path);
    expect([opened.hash("+49301"), opened.hash("+49302")]).toEqual([hmac("+49301"), hmac("+49302")]);
    const sealed = hash("blake2b512", `${hmac("calltally seal")}abc`, "base64url").slice(0, 43);
    expect(opened.seal("abc")).toBe(sealed);
    expect(opened.fingerprint).toBe(FINGERPRINT);
    expect("newKey" in opened).toBe(false);
  });
});

describe("openCallerDigests", () => {
  it("exists if the rules in force identify callers by digests, whatever earlier rules said", () => {
    using made = makeWarehouse();
    expect(openCallerDigests(made.warehouse)).toBeUndefined();
    setKey(made.warehouse, FINGERPRINT);
    expect(openCallerDigests(made.warehouse)?.hash("+49301")).toBe(hmac("+49301"));
    setKey(made.warehouse, null);
    expect(openCallerDigests(made.warehouse)).toBeUndefined();
  });

  it("refuses to identify callers without the key or with another one, and creates none", () => {
    using made = makeWarehouse();
    setKey(made.warehouse, FINGERPRINT);
    const refusal = (state: string) => ({
      message: `Cannot identify the callers of ${made.warehouse.path}: the key of their digests, ${made.key}, is ${state}`,
      exitCode: 7,
      hint: "Put the key back from a backup. If it is lost for good, move the warehouse away and sync into a new one: with a new key every caller would count as new.",
    });
    const open = () => refusalOf(() => openCallerDigests(made.warehouse));
    writeFileSync(made.key, "0a".repeat(32));
    expect(open()).toEqual(refusal("not the same"));
    rmSync(made.key);
    expect([open(), open()]).toEqual([refusal("missing"), refusal("missing")]);
  });
});

describe("openPseudonyms", () => {
  it.each([
    { callers: "numbers", callerKey: null, ofCaller: hmac("+49301"), ofHash: hmac(hmac("+49301")) },
    { callers: "digests", callerKey: FINGERPRINT, ofCaller: "+49301", ofHash: hmac("+49301") },
  ])(
    "hash a caller by its digest, or by its number if it has no digest: $callers",
    ({ callerKey, ofCaller, ofHash }) => {
      using made = makeWarehouse();
      setKey(made.warehouse, callerKey);
      const { toPseudonym, ...others } = openPseudonyms(made.warehouse);
      expect(["+49301", hmac("+49301"), PSEUDONYM].map(toPseudonym)).toEqual([
        ofCaller,
        ofHash,
        hmac(PSEUDONYM),
      ]);
      expect(others).toEqual({ fingerprint: FINGERPRINT });
    },
  );

  it("report that a key was created for them", () => {
    using made = makeWarehouse();
    rmSync(made.key);
    const { newKey, fingerprint } = openPseudonyms(made.warehouse);
    expect(newKey).toBe(made.key);
    expect(openPseudonyms(made.warehouse).newKey).toBeUndefined();
    expect(openPseudonyms(made.warehouse).fingerprint).toBe(fingerprint);
  });
});

describe("prepareCallerName", () => {
  it("names callers as in the facts: by number or digest, and forgotten ones by pseudonym", () => {
    using made = makeWarehouse();
    const names = () => ["+49301", "+49302"].map(prepareCallerName(made.warehouse));
    expect(names()).toEqual(["+49301", "+49302"]);
    setKey(made.warehouse, FINGERPRINT);
    expect(names()).toEqual([hmac("+49301"), hmac("+49302")]);
    const digests = new CallerDigests(KEY);
    const forgotten = {
      digest: digests.of("+49302"),
      national_digest: null,
      pseudonym: PSEUDONYM,
      key_mark: digests.mark,
      forgotten_at: "2026-10-01T00:00:00.000Z",
      calls: 1,
    };
    insertForgotten(made.warehouse, [forgotten]);
    expect(names()).toEqual([hmac("+49301"), PSEUDONYM]);
    setKey(made.warehouse, null);
    expect(names()).toEqual(["+49301", PSEUDONYM]);
  });

  it("reads the key once, when it is first needed", () => {
    using made = makeWarehouse();
    setKey(made.warehouse, FINGERPRINT);
    rmSync(made.key);
    const toName = prepareCallerName(made.warehouse);
    expect(() => toName("+49301")).toThrow("is missing");
    writeFileSync(made.key, KEY.toString("hex"));
    expect(toName("+49301")).toBe(hmac("+49301"));
    rmSync(made.key);
    expect(toName("+49302")).toBe(hmac("+49302"));
  });
});
