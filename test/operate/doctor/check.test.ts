import { describe, expect, it } from "vitest";
import { formatBytes, formatElapsed } from "../../../src/base/text/quantity-text.ts";
import { fail, ok, unverified, warn, worstOf } from "../../../src/operate/doctor/check.ts";
import { judgeDuration } from "../../../src/operate/doctor/check-duration.ts";

describe("worstOf", () => {
  it("ranks lost data above problems for the operator, and those above temporary ones", () => {
    const [late, refused, damaged] = [unverified("a", "", ""), fail(4, "b", "", ""), fail(7, "c", "", "")];
    expect(worstOf([])).toBe(0);
    expect(worstOf([ok("a", ""), warn("b", "", "")])).toBe(0);
    expect(worstOf([ok("a", ""), late])).toBe(3);
    expect(worstOf([late, fail(5, "x", "", "")])).toBe(5);
    expect(worstOf([fail(5, "x", "", ""), refused, late])).toBe(4);
    expect(worstOf([fail(2, "x", "", ""), damaged, refused])).toBe(7);
  });
});

describe("judgeDuration", () => {
  /** Ten calls whose last words are at 02:00, or as long by another unit. */
  const samples = (duration: number, time = "02:00") =>
    Array.from({ length: 10 }, () => ({
      duration,
      transcription_details: JSON.stringify([
        { time: "00:01" },
        { time },
        { time: "00:02", text: '"time":"59:59"' },
      ]),
    }));

  it.each([
    [130, "seconds", "ok", /./],
    [130_000, "milliseconds", "ok", /./],
    [130_000, "seconds", "warn", /about 1100 times.* duration_unit to milliseconds\./],
    [130, "milliseconds", "warn", /they are seconds.* duration_unit to seconds\./],
    [2, "seconds", "warn", /neither seconds nor milliseconds.*support/],
  ] as const)("judges %i for two minutes of talk in %s as %s", (duration, unit, state, says) => {
    const check = judgeDuration(samples(duration), unit);
    expect(check.state).toBe(state);
    expect(`${check.message} ${check.hint}`).toMatch(says);
  });

  it.each([
    [107, undefined],
    [108, "seconds"],
    [119, "seconds"],
    [3599, "seconds"],
    [3600, undefined],
    [107_999, undefined],
    [108_000, "milliseconds"],
    [3_600_000, undefined],
  ] as const)("recognizes %i for two minutes of talk as %s", (duration, unit) => {
    const right = (["seconds", "milliseconds"] as const).filter(
      (each) => judgeDuration(samples(duration), each).state === "ok",
    );
    expect(right).toEqual(unit === undefined ? [] : [unit]);
  });

  it("reads hours, and does not judge by short calls, missing or few transcripts", () => {
    expect(judgeDuration(samples(3700, "01:00:00"), "seconds").state).toBe("ok");
    const nothing = expect.stringContaining("too few transcripts");
    expect(judgeDuration(samples(9000, "00:09"), "seconds").message).toEqual(nothing);
    expect(judgeDuration(samples(130_000).slice(0, 4), "seconds").message).toEqual(nothing);
    const odd = ["", "[{", "null", "{}", '[{"time":"noon"}]', '["02:00"]'];
    const none = [...odd, null].map((transcription_details) => ({ duration: 5, transcription_details }));
    expect(judgeDuration(none, "seconds").message).toEqual(nothing);
  });
});

describe("formatElapsed, formatBytes", () => {
  it("round to readable figures, and never to 60 seconds", () => {
    expect([0, 949, 59_949, 59_950, 599_700, 3_600_000].map(formatElapsed).join()).toBe(
      "0.0 s,0.9 s,59.9 s,1 min 0 s,10 min 0 s,60 min 0 s",
    );
    expect([0, 512, 999_900, 5_242_880, 76.9e9].map(formatBytes).join()).toBe(
      "0 bytes,512 bytes,1.0 MB,5.2 MB,76.9 GB",
    );
  });
});
