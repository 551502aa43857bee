import { expect, it } from "vitest";
import type { Call } from "../../../src/calls/columns.ts";
import { readText } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { makeCallsFolder } from "../folder.ts";

const DAY = "2026-10-10";
const TAGS: [count: number, tags: Partial<Call>][] = [
  [20, { utm_source: "facebook", utm_medium: "cpc" }],
  [2, { utm_source: "Facebok", utm_medium: "cpc" }],
  [9, { campaign_name: "Brand | Exact" }],
  [1, { campaign_name: "brand_exact" }],
  [3, { campaign_name: "2026-4930123456" }],
  [1, { referring_url: "https://www.paypal.com/checkout" }],
];
const CALLS = TAGS.flatMap(([count, tags]) => Array.from({ length: count }, () => tags)).map((tags, index) =>
  makeCall({ call_id: index + 1, call_started: `${DAY}T12:00:00.000Z`, ...tags }),
);

function makePlace(calls = CALLS) {
  const folder = makeCallsFolder(calls, { CALLTALLY_TIMEZONE: "UTC" });
  return Object.assign(folder, {
    hygiene: (...args: string[]) => folder.run(`hygiene --to ${DAY}`, ...args),
  });
}

it("hygiene lists tags with the lines that mend them, and numbers those for the file of aliases", async () => {
  using folder = makePlace();
  const rows: unknown = JSON.parse((await folder.hygiene("--json")).stdout);
  expect(rows).toMatchObject([
    {
      number: 1,
      file: "aliases",
      line: "facebok,facebook,source",
      since: `${DAY}T12:00:00.000Z`,
      cost: null,
    },
    { number: 2, file: "aliases", line: "brand_exact,Brand | Exact,campaign" },
    { number: null, file: "channels", line: "Direct,paypal.com,referral,," },
  ]);
  expect((await folder.runWith({}, "hygiene")).stdout).toContain("No tag of these 28 days looks wrong");
});

it.each([
  // 10 October ends there at 10:00 UTC of the day after.
  { zone: "Pacific/Honolulu", end: "2026-10-11T10:00:00.000Z", begins: "2026-09-13T10:00:00.000Z" },
  // and there at 13:00 UTC of that day; it began before a clock change.
  { zone: "Australia/Lord_Howe", end: "2026-10-10T13:00:00.000Z", begins: "2026-09-12T13:30:00.000Z" },
])(
  "hygiene --to ends with the local day of $zone, and begins 28 days before",
  async ({ zone, end, begins }) => {
    const at = (moment: string, ms: number, utm_source: string) => ({
      call_started: new Date(Date.parse(moment) + ms).toISOString(),
      utm_source,
    });
    const calls = [
      ...Array.from({ length: 20 }, () => at(end, -1, "facebook")),
      ...[at(begins, -1, "facebok"), at(begins, 0, "facebok"), at(end, -1, "facebok"), at(end, 0, "facebok")],
    ].map((members, index) => makeCall({ call_id: index + 1, ...members }));
    using folder = makeCallsFolder(calls, { CALLTALLY_TIMEZONE: zone });
    const [problem] = JSON.parse(await folder.say("hygiene --json --to", DAY));
    expect(problem).toMatchObject({ value: "facebok", other: "facebook", calls: 2 });
  },
);

it("hygiene appends lines by number and problem, which then rename calls and spend", async () => {
  using folder = makePlace();
  const { code, stdout, stderr } = await folder.hygiene("--write", "aliases.csv", "--lines", "2,near_miss");
  expect([code, stdout]).toEqual([
    0,
    "2 lines appended to aliases.csv:\nbrand_exact,Brand | Exact,campaign\nfacebok,facebook,source\n",
  ]);
  expect(stderr).toContain("To apply it, set CALLTALLY_ALIASES to aliases.csv.");
  const env = { CALLTALLY_ALIASES: "aliases.csv" };
  const exported = await folder.runWith(env, "export campaign --columns calls --stdout");
  expect(exported.stdout).toBe(
    "campaign,campaign_id,calls\r\n(not set),,23\r\nBrand | Exact,,10\r\n2026-4930123456,,3\r\n",
  );
  expect((await folder.hygiene()).stdout).toMatch(/^ +merged +source +Facebok +facebook +2$/m);
});

it("hygiene writes nothing that was not chosen", async () => {
  using folder = makePlace();
  folder.write("aliases.csv", "raw,value,of\nfacebok,meta,source\n");
  for (const [args, message] of [
    [["--lines", "1"], "--lines needs --write"],
    [["--write", "aliases.csv"], "this is not a terminal"],
    [["--write", "aliases.csv", "--lines", "3"], "There is no line 3"],
    [["--write", "aliases.csv", "--lines", "near_mis"], "did you mean near_miss?"],
    [["--write", "aliases.csv", "--lines", "1"], "it has an alias of the source"],
  ] as const) {
    const { code, stderr } = await folder.hygiene(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
  expect(readText(folder.path, "aliases.csv")).toBe("raw,value,of\nfacebok,meta,source\n");
});

it("wrong tags add a section to the report of all calls", async () => {
  using folder = makePlace();
  const days = `--from 2026-10-01 --to ${DAY}`;
  const pageOf = async (flags = "") => (await folder.run(`report ${days} --stdout${flags}`)).stdout;
  const page = await pageOf();
  expect(page).toContain("<h2>3 tags may be wrong</h2>");
  expect(page.replace(/<[^>]*>/g, "")).toContain("Source facebokmay be the same as facebook2");
  expect(await pageOf(" --source facebook")).not.toContain("may be wrong");
  using clean = makePlace(CALLS.slice(0, 20));
  expect((await clean.run(`report ${days} --stdout`)).stdout).not.toContain("may be wrong");
});
