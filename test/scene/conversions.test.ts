import { describe, expect, it } from "vitest";
import { namesOf } from "../../src/base/records.ts";
import { ADJUSTMENTS, CONVERSIONS, UPLOADS } from "../../src/config/request/conversion-kinds.ts";
import { CONVERSION_OPTIONS } from "../../src/config/request/conversion-options.ts";
import { readConversions } from "../support/figures/conversion-checker.ts";
import { readCsv } from "../support/page.ts";
import { ACCOUNTS, type SceneAccount } from "../support/scene/accounts.ts";
import { writeScene } from "../support/scene/ask.ts";
import { type AskedConversions, conversionsOf, type FileKind } from "../support/scene/conversions.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

/** After the last call, so that calls are too recent for some platforms, and too old for others. */
const NOW_MS = Date.parse("2026-04-08T09:00:00.000Z");
const RANGE = { from: "2025-03-01", to: "2026-04-08" };

const NEEDED: Partial<Record<FileKind, (account: SceneAccount) => AskedConversions>> = {
  "ga4-events": ({ name }) => ({ measurement_id: `G-${name.toUpperCase()}1`, name: `call_of_${name}` }),
};
const neededBy = (kind: FileKind, account: SceneAccount): AskedConversions => NEEDED[kind]?.(account) ?? {};

/** Each option of a conversion with a value that changes something. */
const CASES: readonly (readonly [kind: FileKind, options: (account: SceneAccount) => AskedConversions])[] = [
  ["google-ads", ({ name }) => ({ name: `Call of ${name}` })],
  ["google-ads", ({ timezone, currency }) => ({ value: timezone.length, currency })],
  ["google-ads", () => ({ every: true })],
  ["google-ads", () => ({ ad_user_data: "granted" })],
  ["google-data-manager", () => ({ ad_personalization: "denied", value: 3.5, currency: "CHF" })],
  ["google-data-manager", () => ({ ad_user_data: "granted", ad_personalization: "denied" })],
  ["google-data-manager", ({ name }) => ({ new: true, name: `New call of ${name}` })],
  ["google-leads", () => ({ qualify: "sold", value: "outcome" })],
  ["google-leads", () => ({ qualify: "booked" })],
  ["google-leads", () => ({ value: "outcome" })],
  ["google-leads", ({ name }) => ({ new: true, ad_user_data: "denied", name: `New caller of ${name}` })],
  ["microsoft-ads", ({ currency }) => ({ every: true, value: 12, currency })],
  ["microsoft-ads", () => ({ qualify: "booked", value: "outcome" })],
  ["ga4-events", ({ name }) => ({ measurement_id: `G-${name.toUpperCase()}9`, name: `other_${name}` })],
  ["ga4-events", ({ currency }) => ({ value: 6, currency })],
];

/** Writes a file for upload; returns its lines and the calls that are left out. */
async function upload(kind: FileKind, { name }: SceneAccount, conversion: AskedConversions) {
  using folder = makeTempFolder();
  const read = await writeScene(
    name,
    { contents: [kind], range: RANGE, conversion },
    { nowMs: NOW_MS, folder: folder.path },
  );
  const text = read(`${kind}.csv`);
  const excluded = readCsv(read(`${kind}.excluded.csv`));
  return {
    text,
    rows: readConversions(kind, text),
    excluded: excluded.map(({ call_id, reason }) => ({ call_id: Number(call_id), reason: String(reason) })),
  };
}

const byId = <Each extends { call_id: number }>(calls: readonly Each[]) =>
  calls.toSorted((a, b) => a.call_id - b.call_id);
const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();

describe("files for ad platforms have the conversions of the oracle", () => {
  it.each(CONVERSIONS.flatMap((kind) => ACCOUNTS.map((account) => [kind, account.name, account] as const)))(
    "%s, %s",
    async (kind, _name, account) => {
      const asked = neededBy(kind, account);
      const expected = conversionsOf(account, kind, asked, { range: RANGE, nowMs: NOW_MS });
      const { rows, excluded } = await upload(kind, account, asked);
      expect(sorted(rows)).toEqual(sorted(expected.rows));
      expect(byId(excluded)).toEqual(byId(expected.excluded));
      expect(new Set(excluded.map(({ reason }) => reason)).size).toBeGreaterThan(2);
    },
  );

  it.each(CASES)("%s, as in %o", async (kind, optionsOf) => {
    let changed = 0;
    for (const account of ACCOUNTS) {
      const asked = { ...neededBy(kind, account), ...optionsOf(account) };
      const expected = conversionsOf(account, kind, asked, { range: RANGE, nowMs: NOW_MS });
      const { rows, excluded } = await upload(kind, account, asked);
      expect(sorted(rows), account.name).toEqual(sorted(expected.rows));
      expect(byId(excluded), account.name).toEqual(byId(expected.excluded));
      const plain = conversionsOf(account, kind, neededBy(kind, account), { range: RANGE, nowMs: NOW_MS });
      if (JSON.stringify(plain.rows) !== JSON.stringify(expected.rows)) changed++;
    }
    expect(changed).toBeGreaterThan(0);
  });

  it("adjustments of uploaded conversions have their new values, unless a topic has one", async () => {
    let restated = 0;
    for (const account of ACCOUNTS) {
      const { name, currency } = account;
      const asked = { new: true, value: 40, currency, name: `Adjusted of ${name}` };
      await upload("google-ads", account, asked);
      const { rows: again } = await upload("google-ads", account, asked);
      expect(again, "nothing is new").toEqual([]);
      using folder = makeTempFolder();
      const conversion = { name: asked.name, value: 41.5, currency };
      const read = await writeScene(
        name,
        { contents: ["google-ads-adjustments"], conversion },
        { nowMs: NOW_MS, folder: folder.path },
      );
      const expected = conversionsOf(
        account,
        "google-ads",
        { ...asked, value: 41.5 },
        { range: RANGE, nowMs: NOW_MS },
      )
        .rows.filter((row) => NOW_MS - Date.parse(`${row["Conversion Time"]}Z`) <= 54 * 86_400_000)
        .filter((row) => row["Conversion Value"] === "41.5")
        .map((row) => [row["Order ID"], row["Conversion Name"], "RESTATE", "41.5", currency]);
      restated += expected.length;
      const rows = readConversions("google-ads-adjustments", read("google-ads-adjustments.csv"));
      const columns = ["Order ID", "Conversion Name", "Adjustment Type", "Adjusted Value"];
      expect(
        sorted(rows.map((row) => [...columns, "Adjusted Value Currency"].map((column) => row[column]))),
      ).toEqual(sorted(expected));
    }
    expect(restated).toBeGreaterThan(2);
  });

  it("each kind and each option is in the scene", () => {
    const kinds = new Set(CASES.map(([kind]) => kind));
    expect([...kinds, ...ADJUSTMENTS].sort()).toEqual([...UPLOADS].sort());
    const options = ACCOUNTS.flatMap((account) => CASES.flatMap(([, of]) => Object.keys(of(account))));
    expect([...new Set(options)].sort()).toEqual(namesOf(CONVERSION_OPTIONS).sort());
  });
});
