import { describe, expect, it } from "vitest";
import type { Dimension } from "../../src/figures/dimensions.ts";
import type { Figure } from "../../src/figures/metrics.ts";
import { makeWarehouse } from "../support/figures/produce-files.ts";
import { readCsv } from "../support/page.ts";
import { readText } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";

interface Group {
  term: string;
  answered: number;
  missed: number;
  /** Of the answered. */
  long: number;
  month?: string;
}

let id = 0;
const callsOf = ({ term, answered, missed, long, month = "05" }: Group) =>
  Array.from({ length: answered + missed }, (_, index) =>
    makeCall({
      call_id: ++id,
      utm_content: term,
      disposition: index < answered ? "answered" : "busy",
      duration: index < long ? 300 : 5,
      call_started: `2026-${month}-10T10:00:00.000Z`,
    }),
  );

function choose(of: number, chosen: number): bigint {
  let [above, below] = [1n, 1n];
  for (let factor = 1; factor <= chosen; factor++) {
    above *= BigInt(of - chosen + factor);
    below *= BigInt(factor);
  }
  return above / below;
}

/** Fisher's exact test in whole numbers: twice the smaller tail, in millionths. */
function chanceOf(
  [part, whole]: readonly [number, number],
  [otherPart, otherWhole]: readonly [number, number],
) {
  const parts = part + otherPart;
  let [least, most] = [0n, 0n];
  for (let count = Math.max(0, parts - otherWhole); count <= Math.min(whole, parts); count++) {
    const ways = choose(whole, count) * choose(otherWhole, parts - count);
    if (count <= part) least += ways;
    if (count >= part) most += ways;
  }
  const all = choose(whole + otherWhole, parts);
  return Number((2_000_000n * (least < most ? least : most)) / all) / 1e6;
}

const wordsOf = (chance: number, comparisons: number) => {
  if (chance >= 0.05) return "within chance";
  return chance < 0.05 / comparisons ? `beyond chance, even among ${comparisons}` : "beyond chance";
};

interface Asked {
  versus: string;
  columns?: Figure[];
  grain?: "month";
  total?: boolean;
  dimension?: Dimension;
}

async function compare(groups: readonly Group[], { dimension = "utm_content", ...asked }: Asked) {
  using warehouse = makeWarehouse(groups.flatMap(callsOf));
  const { manifest } = await warehouse.export({
    targets: [{ kind: "rollup", dimensions: [dimension] }],
    ...asked,
  });
  const rows = readCsv(readText(warehouse.folder, `${dimension}.csv`));
  return { rows, versus: manifest.files[0]?.versus };
}

/** One page differs little from the old one, one much, and one so much that it also stands out of all comparisons. */
const PAGES: readonly Group[] = [
  { term: "lp-old", answered: 120, missed: 60, long: 40 },
  { term: "lp-new", answered: 66, missed: 34, long: 21 },
  { term: "lp-better", answered: 80, missed: 21, long: 25 },
  { term: "lp-worst", answered: 10, missed: 40, long: 9 },
];

describe("rows compared with a row", () => {
  it("each row has the difference of each rate, and what an exact test in whole numbers says of it", async () => {
    const { rows, versus } = await compare(PAGES, { versus: "lp-old" });
    const [old, ...others] = PAGES;
    if (old === undefined) throw new Error("There is no old page");
    const partsOf = ({ answered, missed, long }: Group) => ({
      answer_rate: [answered, answered + missed] as const,
      missed_rate: [missed, answered + missed] as const,
      qualified_rate: [long, answered + missed] as const,
    });
    const rates = ["answer_rate", "missed_rate", "qualified_rate"] as const;
    const seen = new Set<string>();
    for (const page of others) {
      const row = rows.find(({ utm_content }) => utm_content === page.term);
      for (const rate of rates) {
        const [now, before] = [partsOf(page)[rate], partsOf(old)[rate]];
        const round = ([part, whole]: readonly [number, number]) => Math.round((10_000 * part) / whole);
        expect(row?.[rate]).toBe(round(now) / 10_000);
        expect(row?.[`${rate}_versus`]).toBe((round(now) - round(before)) / 10_000);
        const words = wordsOf(chanceOf(now, before), 9);
        expect(row?.[`${rate}_versus_chance`]).toBe(words);
        seen.add(words);
      }
    }
    expect(seen.size).toBe(3);
    const words = rows.flatMap((row) => rates.flatMap((rate) => row[`${rate}_versus_chance`] ?? []));
    expect(versus).toEqual({
      row: "lp-old",
      comparisons: 9,
      beyond_chance: words.filter((each) => each !== "within chance").length,
      beyond_chance_among_all: words.filter((each) => String(each).includes("among")).length,
    });
  });

  it("the row itself and the total are blank", async () => {
    const { rows } = await compare(PAGES, { versus: "lp-new", total: true });
    for (const name of ["lp-new", "(total)"]) {
      const row = rows.find(({ utm_content }) => utm_content === name);
      expect([row?.answer_rate_versus, row?.answer_rate_versus_chance]).toEqual([null, null]);
    }
  });

  it("one comparison has no number in its words, and only rates among the columns are compared", async () => {
    const pages = PAGES.filter(({ term }) => term === "lp-old" || term === "lp-worst");
    const { rows, versus } = await compare(pages, { versus: "lp-old", columns: ["answer_rate"] });
    expect(Object.keys(rows[0] ?? {})).toEqual([
      ...["utm_content", "answer_rate", "answer_rate_versus", "answer_rate_versus_chance"],
    ]);
    expect(rows.at(-1)?.answer_rate_versus_chance).toBe("beyond chance");
    expect(versus).toMatchObject({ comparisons: 1, beyond_chance: 1, beyond_chance_among_all: 0 });
  });

  it("each period is compared with the row of that period, and one without it with nothing", async () => {
    const groups = [
      { term: "lp-old", answered: 10, missed: 10, long: 0, month: "04" },
      { term: "lp-new", answered: 15, missed: 5, long: 0, month: "04" },
      { term: "lp-old", answered: 4, missed: 16, long: 0, month: "05" },
      { term: "lp-new", answered: 18, missed: 2, long: 0, month: "05" },
      { term: "lp-new", answered: 7, missed: 3, long: 0, month: "06" },
    ];
    const { rows } = await compare(groups, { versus: "lp-old", grain: "month", columns: ["answer_rate"] });
    expect(
      rows.map((row) => [row.period, row.utm_content, row.answer_rate_versus, row.answer_rate_versus_chance]),
    ).toEqual([
      ["2026-04", "lp-new", 0.25, wordsOf(chanceOf([15, 20], [10, 20]), 2)],
      ["2026-04", "lp-old", null, null],
      ["2026-05", "lp-new", 0.7, wordsOf(chanceOf([18, 20], [4, 20]), 2)],
      ["2026-05", "lp-old", null, null],
      ["2026-06", "lp-new", null, null],
    ]);
  });

  it("a row that does not exist is refused, with the nearest names, and nothing is written", async () => {
    using warehouse = makeWarehouse(PAGES.flatMap(callsOf));
    const ask = (versus: string) =>
      warehouse.export({ targets: [{ kind: "rollup", dimensions: ["utm_content"] }], versus });
    await expect(ask("lp-odl")).rejects.toMatchObject({
      message: "Cannot compare with --versus lp-odl: no row has this name",
      hint: "Did you mean lp-old?",
      exitCode: 2,
    });
    await expect(ask("something")).rejects.toMatchObject({
      hint: "Name a row as the file shows it, or by its id.",
    });
    expect(() => readText(warehouse.folder, "utm_content.csv")).toThrow("ENOENT");
  });

  it("a campaign is found by its id, and two campaigns of one name need it", async () => {
    const calls = (["7", "8", "9"] as const).flatMap((campaign_id, index) =>
      Array.from({ length: 10 }, (_, place) =>
        makeCall({
          ...{ call_id: ++id, campaign_id, campaign_name: campaign_id === "9" ? "Spring" : "Sale" },
          disposition: place < 3 * (index + 1) ? "answered" : "busy",
        }),
      ),
    );
    using warehouse = makeWarehouse(calls);
    const ask = (versus: string) =>
      warehouse.export({
        targets: [{ kind: "rollup", dimensions: ["campaign"] }],
        ...{ versus, columns: ["answered_calls"] },
      });
    await expect(ask("Sale")).rejects.toMatchObject({
      message: "Cannot compare with --versus Sale: several rows have this name",
      hint: "Name one of them by its id.",
    });
    await ask("8");
    const rows = readCsv(readText(warehouse.folder, "campaign.csv"));
    expect(Object.fromEntries(rows.map((row) => [row.campaign_id, row.answer_rate_versus]))).toEqual({
      ...{ "7": -0.3, "8": null, "9": 0.3 },
    });
  });
});
