import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { readCallersFile } from "../../src/config/files/callers-file.ts";
import { makeCall } from "../support/calls.ts";
import { makeWarehouse } from "../support/produce-files.ts";
import { readText } from "../support/temp-folder.ts";

/** One number in the notations of services and people. */
const SPELLINGS = ["+49 30 123456", "0049 (30) 123-456", "4930123456", "+49\u00a030/12\u201134.56"];
const OTHER = "+4930999999";

const CALLS = [...SPELLINGS, OTHER].map((number, index) =>
  makeCall({
    call_id: index + 1,
    caller_id: number,
    tracking_number: number,
    call_started: `2026-09-2${index}T12:00:00.000Z`,
    duration: 90,
    disposition: "ANSWERED",
    gclid: `C${index}`,
  }),
);

/** Writes one kind of file, and returns its lines as objects. */
async function exportLines(target: Target, filter?: Filter) {
  using warehouse = makeWarehouse(CALLS);
  const { folder, manifest } = await warehouse.export({
    targets: [target],
    filter,
    format: { format: "csv", profile: "machine" },
  });
  const text = readText(folder, manifest.files[0]?.file ?? "");
  return { lines: parse<Record<string, string>>(text, { columns: true }), manifest };
}
type Options = Parameters<ReturnType<typeof makeWarehouse>["export"]>[0];
type Target = Options["targets"][number];
type Filter = Options["filter"];

describe("one number in four spellings", () => {
  it("is one caller in rollups, with one first call", async () => {
    const { lines } = await exportLines({ kind: "rollup", dimensions: ["channel"] });
    expect(lines).toMatchObject([{ calls: "5", unique_callers: "2", first_time_callers: "2" }]);
  });

  it("has one pseudonym in lists", async () => {
    const { lines } = await exportLines({ kind: "calls", with: [] });
    const hashes = lines.map(({ caller_hash }) => caller_hash);
    expect(new Set(hashes.slice(0, 4)).size).toBe(1);
    expect(new Set(hashes).size).toBe(2);
    expect(lines.map(({ first_time_caller }) => first_time_caller)).toEqual(["1", "0", "0", "0", "1"]);
  });

  it("is one tracking number in rollups and lists", async () => {
    const { lines } = await exportLines({ kind: "rollup", dimensions: ["tracking_number"] });
    expect(lines.map(({ tracking_number, calls }) => [tracking_number, calls])).toEqual([
      ["+4930123456", "4"],
      [OTHER, "1"],
    ]);
    const list = await exportLines({ kind: "calls", with: [] });
    expect(list.lines.map(({ tracking_number }) => tracking_number)).toEqual([
      ...SPELLINGS.map(() => "+4930123456"),
      OTHER,
    ]);
  });

  it("is one conversion for its number, under one hash", async () => {
    using warehouse = makeWarehouse(CALLS);
    const conversion = { name: "Qualified call", every: true };
    const { folder } = await warehouse.export({ targets: [{ kind: "google-leads", conversion }] });
    const keys = readText(folder, "google-leads.csv").split("\n").slice(2, -1);
    const sha256 = createHash("sha256").update("+4930123456").digest("hex");
    expect(keys.filter((line) => line.startsWith(`${sha256},`))).toHaveLength(4);
    expect(keys).toHaveLength(5);
    const { manifest } = await warehouse.export({
      targets: [{ kind: "google-leads", conversion: { ...conversion, every: false } }],
    });
    expect(manifest.files[0]).toMatchObject({ rows: 2, excluded: { duplicate: 3 } });
  });

  it.each(SPELLINGS)("is excluded and found by %j", async (spelling) => {
    using warehouse = makeWarehouse(CALLS);
    const file = join(warehouse.folder, "..", "numbers.txt");
    writeFileSync(file, `${spelling} # ours\n`);
    const without = await exportLines(
      { kind: "calls", with: ["caller_id"] },
      { exclude_callers: readCallersFile(file) },
    );
    expect(without.lines.map(({ caller_id }) => caller_id)).toEqual([OTHER]);
    expect(without.manifest.filter).toMatchObject({ excluded_callers: 1, excluded_callers_without_calls: 0 });
    const only = await exportLines({ kind: "calls", with: ["caller_id"] }, { tracking_number: [spelling] });
    expect(only.lines.map(({ caller_id }) => caller_id)).toEqual(SPELLINGS);
  });
});
