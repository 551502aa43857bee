import { describe, expect, it } from "vitest";
import { findNearMisses } from "../../../src/features/hygiene/near-misses.ts";

const pairsOf = (...tags: [string, number][]) =>
  findNearMisses(tags.map(([value, calls]) => ({ value, calls }))).map(
    ({ rare, common }) => `${rare.value} → ${common.value}`,
  );

const PLACES = ["Austin", "Dallas", "Houston", "San Antonio", "Fort Worth", "El Paso", "Plano", "Waco"];
const SERVICES = ["Plumbing", "HVAC", "Drain Cleaning", "Water Heater", "AC Repair", "Roofing", "Electrical"];
const FORMS = ["Search | Brand", "Search | Exact", "Search | Broad", "PMax", "Display", "Retargeting"];
/** Names in the style of agencies: places, services and years differ by a few letters. */
const REAL = [
  ...PLACES.flatMap((place) =>
    SERVICES.flatMap((service) => FORMS.map((form) => `${place} - ${service} - ${form}`)),
  ),
  ...["Q1", "Q2", "Q3", "Q4"].flatMap((quarter) =>
    ["2024", "2025", "2026"].map((year) => `Sale ${quarter} ${year}`),
  ),
  ...["US", "UK", "DE", "AT", "FR"].flatMap((land) =>
    ["A", "B", "C"].map((test) => `${land}_Leads_Test ${test}`),
  ),
  "v1",
  "v2",
  "v1.5",
  "v15",
  "C++ course",
  "C# course",
  "C course",
  "Spring Tune-Up",
  "Summer Cool-Down",
];

describe("findNearMisses", () => {
  it.each<[title: string, calls: Record<string, number>, pairs: string[]]>([
    ["separators and case", { "Brand | Exact": 90, brand_exact: 3 }, ["brand_exact → Brand | Exact"]],
    ["full-width letters", { brand: 9, ｂｒａｎｄ: 1 }, ["ｂｒａｎｄ → brand"]],
    ["one letter fewer", { facebook: 90, facebok: 2 }, ["facebok → facebook"]],
    ["one letter more", { facebook: 90, facebookk: 2 }, ["facebookk → facebook"]],
    [
      "one different letter",
      { "google ads": 90, "emergency plumbing": 50, "emergancy plumbing": 2 },
      ["emergancy plumbing → emergency plumbing"],
    ],
    ["equal numbers of calls", { "winter offer": 90, "winner offer": 80 }, []],
    ["short words", { uk: 90, us: 2, bing: 90, ping: 1 }, []],
    ["years and versions", { "sale 2025": 90, "sale 2026": 2, campaign1: 90, campaign2: 1 }, []],
    ["numbers that only separators distinguish", { "v1.5": 90, v15: 2 }, []],
    ["letters of programming languages", { "C++": 90, "C#": 9, C: 1 }, []],
    ["right-to-left names", { "סתיו מבצע": 90, "סתיו-מבצע": 1 }, ["סתיו-מבצע → סתיו מבצע"]],
    ["an invisible mark", { sale: 9, "\u200fsale": 1 }, ["\u200fsale → sale"]],
    ["only emoji", { "🔥": 90, "❄️": 1 }, []],
    ["only separators", { "--": 9, "|": 2 }, []],
    ["formula texts", { "=1+1": 9, "=1+2": 1 }, []],
    [
      "two swapped letters, of which no more may differ",
      { "AC Repair": 90, "AC Repiar": 8, "AC Reapri": 3, "AC Rpeair": 2 },
      ["AC Repiar → AC Repair", "AC Rpeair → AC Repair"],
    ],
    [
      "values of up to 200 characters",
      Object.fromEntries(
        [200, 201].flatMap((length) => {
          const value = "spring".padEnd(length, ` ${length}`);
          return [
            [value, 90],
            [value.replace("spring", "sprang"), 2],
          ];
        }),
      ),
      [`${"sprang".padEnd(200, " 200")} → ${"spring".padEnd(200, " 200")}`],
    ],
    [
      "words of six letters in one of them",
      { google: 90, goole: 3, gogle: 3, ebay: 80, ebey: 2 },
      ["gogle → google", "goole → google"],
    ],
    [
      "values by the calls of the rare one",
      { facebook: 400, facebok: 2, instagram: 300, instagrm: 5, newsletter: 200, newslettr: 4 },
      ["instagrm → instagram", "newslettr → newsletter", "facebok → facebook"],
    ],
    [
      "values with a fifth of the calls, and with more",
      { facebook: 50, facebok: 10, instagram: 50, instagrm: 11 },
      ["facebok → facebook"],
    ],
    [
      "three spellings, each paired with the most common",
      { "Brand Exact": 90, "brand-exact": 8, BRAND_EXACT: 3 },
      ["brand-exact → Brand Exact", "BRAND_EXACT → Brand Exact"],
    ],
  ])("finds the pairs of %s", (_, calls, pairs) => {
    expect(pairsOf(...Object.entries(calls))).toEqual(pairs);
  });

  it("finds no pair among realistic names, however rare some are", () => {
    expect(REAL.length).toBeGreaterThan(350);
    expect(pairsOf(...REAL.map((name, index): [string, number] => [name, (index % 7) ** 4 + 1]))).toEqual([]);
  });

  it("finds each of 20 misspellings among realistic names", () => {
    const wrong = REAL.slice(0, 20).map((name) =>
      name.replace("Austin", "Autsin").replace("Autsin", "Austn"),
    );
    const found = pairsOf(
      ...REAL.map((name): [string, number] => [name, 100]),
      ...wrong.map((name): [string, number] => [name, 2]),
    );
    expect(found.toSorted()).toEqual(wrong.map((name, index) => `${name} → ${REAL[index]}`).toSorted());
  });

  it("compares a few pairs of each value, not all pairs", () => {
    let reads = 0;
    const readsOf = (count: number) => {
      const tags = Array.from({ length: count }, (_, index) => ({
        value: `Campaign of place ${index.toString(36)} spring`,
        get calls() {
          reads++;
          return index;
        },
      }));
      reads = 0;
      findNearMisses(tags);
      return reads;
    };
    // Five times as many values, and a little more for their order. All pairs would be 25 times as many.
    expect(readsOf(5000) / readsOf(1000)).toBeLessThan(8);
  });
});
