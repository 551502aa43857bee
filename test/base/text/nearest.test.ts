import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { didYouMean, nearest, orMeant } from "../../../src/base/text/nearest.ts";

const NAMES = ["utm_source", "utm_medium", "campaign", "gclid", "export"] as const;

describe("nearest", () => {
  it.each([
    ["utm_sauce", "utm_source"],
    ["UTM_MEDIUM", "utm_medium"],
    [" gclid", "gclid"],
  ])("recognizes %j as %s", (word, meant) => {
    expect(nearest(word, NAMES)).toBe(meant);
  });

  it.each(["", "dance", "x", "source_of_all"])("finds nothing for %j", (word) => {
    expect(nearest(word, NAMES)).toBeUndefined();
  });

  it("finds every name despite one typing error, and returns only given names", () => {
    const typo = fc.record({
      name: fc.constantFrom(...NAMES),
      at: fc.nat(20),
      put: fc.string({ maxLength: 1 }),
    });
    fc.assert(
      fc.property(typo, ({ name, at, put }) => {
        const place = at % name.length;
        const meant = nearest(name.slice(0, place) + put + name.slice(place + 1), NAMES);
        expect(meant).toBe(name);
      }),
    );
    fc.assert(fc.property(fc.string(), (word) => [...NAMES, undefined].includes(nearest(word, NAMES))));
  });
});

describe("didYouMean", () => {
  const PHRASES = ["Brand | Exact | DE", "Brand | Exact", "Brand", "Generic"];

  it.each([
    ["a slip", "Generc", PHRASES, "Did you mean Generic?"],
    [
      "a part of names, shortest first",
      "exact",
      PHRASES,
      "Did you mean Brand | Exact or Brand | Exact | DE?",
    ],
    ["words in another order", "exact brand", PHRASES, "Did you mean Brand | Exact or Brand | Exact | DE?"],
    [
      "most of the words",
      "first_time_caller",
      ["call_started", "is_first_call"],
      "Did you mean is_first_call?",
    ],
    [
      "fewer than three of five words",
      "first time x",
      ["first of time", "first time of calls"],
      "Did you mean first of time?",
    ],
    [
      "a part of more names than are shown",
      "ab a",
      ["ab a1", "ab a12345", "ab a1234", "ab a123456"],
      "Did you mean ab a1?",
    ],
    [
      "a part of many",
      "long",
      ["long1234567", "long12345678", "long12345", "long123456"],
      "Did you mean long12345, long123456 or long1234567?",
    ],
  ])("suggests a name for %s", (_, word, candidates, question) => {
    expect(didYouMean(word, candidates)).toBe(question);
    expect(orMeant(word, candidates)).toBe(question.replace("Did", "; did"));
  });

  it.each(["", "x", "br", "time off", "CALLTALLY_OTHER"])(
    "makes no suggestion if nothing is like %j",
    (word) => {
      expect(didYouMean(word, [...PHRASES, "CALLTALLY_JITTER_SECONDS"])).toBeUndefined();
      expect(orMeant(word, PHRASES)).toBe("");
    },
  );
});
