import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CalltallyError, EXIT } from "../../../src/base/errors.ts";
import { CALL_COLUMNS, TRANSCRIPT_COLUMNS } from "../../../src/calls/columns.ts";
import { callerKeyOf, openCallerKey } from "../../../src/warehouse/calls/caller-key.ts";
import {
  CallerDigests,
  type ForgottenCaller,
  ForgottenCallers,
  insertForgotten,
  openForgotten,
  readForgotten,
} from "../../../src/warehouse/calls/forgotten-callers.ts";
import { openWarehouse } from "../../../src/warehouse/file/open.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { FULL_CALL, makeCall } from "../../support/warehouses/calls.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const KEY = Buffer.alloc(32, 7);
const digests = new CallerDigests(KEY);
const ADA = "+4930123456";
const BOB = "+12145550123";
/** Nobody has forgotten this one. */
const KNOWN = "+4930777777";
const FORGOTTEN_AT = "2026-11-20T12:00:00.000Z";

function toForgotten(caller: string, national: string | null, pseudonym: string): ForgottenCaller {
  return {
    digest: digests.of(caller),
    national_digest: national && digests.of(national),
    pseudonym,
    key_mark: digests.mark,
    forgotten_at: FORGOTTEN_AT,
    calls: 0,
  };
}

const ada = toForgotten(ADA, "30123456", "forgotten000000000000000a");
const bob = toForgotten(BOB, "2145550123", "forgotten000000000000000b");
/** Not a caller: it represents a number without a national form. */
const short = toForgotten("+123456", null, "forgotten000000000000000c");
const open = () => new ForgottenCallers(digests, [ada, bob, short]);

describe("CallerDigests", () => {
  it("differ for each caller, each key and each use", () => {
    const other = new CallerDigests(Buffer.alloc(32, 8));
    // Stored data depends on these: they must be equal in each version.
    expect({
      mark: digests.mark,
      of: digests.of(ADA),
      ofText: digests.ofText(ADA),
      pseudonymOf: digests.pseudonymOf(ADA),
    }).toEqual({
      mark: "99f126bf35481838",
      of: "tS3MAT9-9GouT8JHTrf9zNjVfcWljBgZUaorlGU7bLU",
      ofText: "kFrih_ISUmhzggUGxm3GWho3R1EkZEMsfhIn2aLvn4I",
      pseudonymOf: "forgottene741bd75f3c02abf",
    });
    const all = [digests, other].flatMap((each) => [
      each.mark,
      each.of(ADA),
      each.of(BOB),
      each.ofText(ADA),
      each.pseudonymOf(ADA),
      each.pseudonymOf(BOB),
    ]);
    expect(new Set(all).size).toBe(all.length);
  });
});

describe("ForgottenCallers.pseudonymOfId", () => {
  it.each([
    ADA,
    ...["004930123456", "+49 (30) 123-456", "4930123456", " ＋49 30 123456", "+49 (0)30 123456"],
  ])("returns the caller's pseudonym for %s", (callerId) => {
    expect(open().pseudonymOfId(callerId)).toBe(ada.pseudonym);
  });

  it.each([
    null,
    "",
    "anonymous",
    "+4930123457",
    "+49301234560",
    // A number of another country with the same ending.
    "+1 4930123456",
    // In international form, as the service sends numbers, it belongs to somebody else.
    "30123456",
    "+2145550123",
    ada.pseudonym,
    "sip:+4930123457@example.com",
    "sip:031123456@example.com",
  ])("returns undefined for %j", (callerId) => {
    const callers = open();
    expect(callers.pseudonymOfId(callerId)).toBeUndefined();
    expect(callers.met).toEqual(new Set());
  });

  it.each([
    `${ADA} or ${KNOWN}`,
    `${ADA}, ${KNOWN}`,
    // It cannot be international.
    "030 123456",
    "sip:030123456@example.com",
  ])("returns a different, stable pseudonym for %s, which contains the number", (callerId) => {
    const callers = open();
    const pseudonym = callers.pseudonymOfId(callerId);
    expect(pseudonym).toMatch(/^forgotten[\da-f]{16}$/);
    expect(pseudonym).not.toBe(ada.pseudonym);
    expect(open().pseudonymOfId(callerId)).toBe(pseudonym);
    expect(open().pseudonymOfId(`${callerId}, +4930888888`)).not.toBe(pseudonym);
    expect(callers.met).toEqual(new Set([ada.digest]));
  });
});

describe("ForgottenCallers.pseudonymOfId for a number without its country code", () => {
  it("returns a different pseudonym, as the caller was another before", () => {
    const callers = open();
    expect(callers.pseudonymOfId("(214) 555-0123")).toBe(digests.pseudonymOf("+2145550123"));
    expect(callers.met).toEqual(new Set([bob.digest]));
    expect(callers.pseudonymOfId("1 214 555 0123")).toBe(bob.pseudonym);
  });
});

describe("ForgottenCallers.pseudonymOf, pseudonymOfHash", () => {
  it("find a caller by number, and by the hash in exported files", () => {
    const callers = open();
    expect([ADA, BOB, "30123456", "+49"].map((caller) => callers.pseudonymOf(caller))).toEqual([
      ada.pseudonym,
      bob.pseudonym,
      undefined,
      undefined,
    ]);
    const toHash = (caller: string) => createHmac("sha256", KEY).update(caller).digest("hex");
    expect([ADA, BOB, "30123456"].map((caller) => callers.pseudonymOfHash(toHash(caller)))).toEqual([
      ada.pseudonym,
      bob.pseudonym,
      undefined,
    ]);
    expect(digests.ofText("f".repeat(64))).toBe(digests.ofText("f".repeat(64)));
  });
});

describe("ForgottenCallers.mask", () => {
  it("replaces digits of numbers with nines, in international and national form, and records the callers met", () => {
    const callers = open();
    expect(callers.mask("Call +49 30 123456, not +49 30 123457.")).toBe(
      "Call +99 99 999999, not +49 30 123457.",
    );
    expect(callers.met).toEqual(new Set([ada.digest]));
    expect(callers.mask("(214) 555-0123")).toBe("(999) 999-9999");
    expect(callers.met).toEqual(new Set([ada.digest, bob.digest]));
    expect(callers.mask("nobody")).toBe("nobody");
  });
});

describe("ForgottenCallers.strip", () => {
  const NUMBER = "030 123456";
  const MASKED = "999 999999";

  it("removes personal data from a forgotten caller's call, and keeps what figures need", () => {
    const callers = open();
    expect(callers.strip(FULL_CALL)).toEqual({
      ...FULL_CALL,
      caller_id: ada.pseudonym,
      recording_url: null,
      google_analytics_cid: null,
      referring_url: "https://www.google.com/",
      summary: null,
      transcription: null,
      transcription_details: null,
      extra: null,
    });
    expect(callers.met).toEqual(new Set([ada.digest]));
  });

  it("strips a call by the digest of a caller whose number is not kept, not by its placeholder", () => {
    const hashed = { ...ada, digest: digests.ofText("a1") };
    const callers = new ForgottenCallers(digests, [hashed]);
    const call = makeCall({ summary: "A tap." });
    expect(callers.strip(call, "a1")).toEqual({ ...call, caller_id: ada.pseudonym, summary: null });
    expect(callers.met).toEqual(new Set([hashed.digest]));
    expect(callers.strip(call, "a2")).toBe(call);
    expect(callers.strip(call, null)).toBe(call);
    expect(open().strip(makeCall({ caller_id: ADA, summary: "A tap." }), "a2").summary).toBe("A tap.");
  });

  const UNMASKED: readonly string[] = ["caller_id", "tracking_number", "call_started"];
  const TEXTS = [...CALL_COLUMNS, ...TRANSCRIPT_COLUMNS].filter(
    (member) => typeof FULL_CALL[member] === "string" && !UNMASKED.includes(member),
  );

  it.each(TEXTS)("masks the number in %s of any call", (member) => {
    const call = makeCall({ caller_id: "+4930999", summary: "A tap.", [member]: `"${NUMBER}" it was` });
    const before = { ...call };
    expect(open().strip(call)).toEqual({ ...call, [member]: `"${MASKED}" it was` });
    expect(call).toEqual(before);
    // Also in the call of a forgotten caller, which keeps that member.
    const own = open().strip({ ...call, caller_id: BOB });
    expect(JSON.stringify(own)).not.toContain(NUMBER);
  });

  it.each(["tracking_number", "call_started"] as const)(
    "does not change a number in %s, which is not text",
    (member) => {
      const call = makeCall({ caller_id: "+4930999", [member]: NUMBER });
      expect(open().strip(call)).toBe(call);
    },
  );

  it.each([
    ["https://www.google.com/search?q=tap#top", "https://www.google.com/"],
    ["http://WWW.Example.com:8080/a/b?phone=030123456", "http://www.example.com:8080/"],
    [" https://example.com/x ", "https://example.com/"],
    ["example.com/thanks?name=Ada", "https://example.com/"],
    ["/landing/page?name=Ada", null],
    ["direct", "https://direct/"],
    ["", null],
    [null, null],
  ])("keeps only the site of a forgotten caller's %j: %j", (referring_url, site) => {
    expect(open().strip(makeCall({ caller_id: ADA, referring_url })).referring_url).toBe(site);
  });
});

describe("ForgottenCallers.stripRejected", () => {
  const row = { path: "duration", reason: "no integer", first_run_id: 4 };
  const strip = (call_id: number | null, json: string) => open().stripRejected({ ...row, call_id, json });

  it.each([
    `{"caller_id":"${ADA}"}`,
    '{"caller_id":4930123456}',
    '{"caller_id":"+1 555","note":"030 123456"}',
    `["${ADA}"]`,
    `"${ADA}"`,
    // Not written like text: these are recognized only by the name of the member.
    '{"caller_id":"+49 * 30 * 123456"}',
    '{"caller_id":493012345600e-2}',
    '{"caller_id":["+49 * 30 * 123456"]}',
  ])("removes all of %s", (json) => {
    expect(strip(5, json)).toEqual({ ...row, call_id: 5, json: "{}" });
    expect(strip(null, json)).toEqual({
      ...row,
      call_id: null,
      json: "{}",
      row_key: `hmac:${digests.ofText(json)}`,
    });
  });

  it.each([
    '{"caller_id":"+1 555"}',
    '{"caller_id":null}',
    "{}",
    "null",
    "[]",
    "7",
    '{"caller_id":["x"]}',
    '{"other":"+49 * 30 * 123456"}',
  ])("does not change %s", (json) => {
    const rejected = { ...row, call_id: null, json };
    expect(open().stripRejected(rejected)).toBe(rejected);
  });

  it("masks the error of a forgotten caller's row", () => {
    const rejected = {
      call_id: 5,
      json: `{"caller_id":"${ADA}"}`,
      path: "a.030123456",
      reason: "no 030 123456",
    };
    expect(open().stripRejected(rejected)).toEqual({
      call_id: 5,
      json: "{}",
      path: "a.999999999",
      reason: "no 999 999999",
    });
    // In other people's calls, only the content decides.
    const other = { ...rejected, json: "{}" };
    expect(open().stripRejected(other)).toBe(other);
  });
});

describe("openForgotten", () => {
  it("opens nothing if nobody was forgotten, and creates no key", () => {
    using warehouse = newWarehouse();
    expect(openForgotten(warehouse)).toBeUndefined();
    expect(readForgotten(warehouse)).toEqual([]);
  });

  it("matches callers only by the key next to the warehouse", () => {
    using warehouse = newWarehouse();
    const file = callerKeyOf(warehouse.path);
    const own = new CallerDigests(openCallerKey(warehouse.path).key);
    const caller = { ...ada, digest: own.of(ADA), key_mark: own.mark };
    insertForgotten(warehouse, [caller]);
    // Callers who were already forgotten stay forgotten.
    insertForgotten(warehouse, [{ ...caller, pseudonym: "other", calls: 9 }]);
    expect(readForgotten(warehouse)).toEqual([caller]);
    expect(openForgotten(warehouse)?.pseudonymOf(ADA)).toBe(ada.pseudonym);
    const openError = () => {
      try {
        openForgotten(warehouse);
      } catch (error) {
        return error;
      }
      return undefined;
    };
    const cannot = (state: string) =>
      expect.objectContaining({
        exitCode: EXIT.storage,
        message: `Cannot write calls into ${warehouse.path}: the key that recognizes forgotten callers, ${file}, is ${state}`,
        hint: "Without it they would come back. Restore the key from a backup's folder.",
      });
    insertForgotten(warehouse, [{ ...bob, key_mark: "0".repeat(16) }]);
    expect(openError()).toEqual(cannot("not the same"));
    expect(openError()).toBeInstanceOf(CalltallyError);
    warehouse.sqlite.exec("DELETE FROM forgotten_callers WHERE key_mark = '0000000000000000'");
    writeFileSync(file, `${"0".repeat(64)}\n`);
    expect(openError()).toEqual(cannot("not the same"));
    using other = makeTempFolder();
    using copy = openWarehouse(join(other.path, "calls.db"));
    insertForgotten(copy, [caller]);
    expect(() => openForgotten(copy)).toThrow(`${callerKeyOf(copy.path)}, is missing`);
  });
});
