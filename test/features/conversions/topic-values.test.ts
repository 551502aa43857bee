import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import type { ConversionOptions } from "../../../src/config/request/resolve.ts";
import { clockAt, makeWarehouse, type Target } from "../../support/figures/produce-files.ts";
import { readText } from "../../support/temp-folder.ts";
import { conversionCall, NOW, type Warehouse } from "./upload-files.ts";

const line = (topic: string, qualifies: boolean | null, value: string | null) => ({
  topic,
  phrase: topic,
  speaker: null,
  qualifies,
  value,
});
const TOPICS = [line("emergency", true, "250"), line("job", false, null), line("quote", null, null)];
const SAID = ["emergency", "emergency", "a job", "a quote", null];

const makeCalls = () =>
  makeWarehouse(
    SAID.map((transcription, index) =>
      conversionCall(index + 1, { transcription, duration: index === 0 ? 5 : 60 }),
    ),
  );

/** Returns the lines of a file, each with its last cells. */
async function write(
  warehouse: Warehouse,
  kind: Target["kind"],
  { topics = TOPICS, ...conversion }: Partial<ConversionOptions> & { topics?: typeof TOPICS } = {},
) {
  const { folder } = await warehouse.export({
    targets: [
      { kind, conversion: { name: "Qualified call", every: false, new: true, ...conversion } } as Target,
    ],
    rules: { ...DEFAULT_RULES, topics },
    clock: clockAt(NOW),
  });
  const isHeader = /^(Parameters|Google Click ID|Order)/;
  const lines = readText(folder, `${kind}.csv`).trimEnd().split("\n");
  return lines.filter((line) => !isHeader.test(line)).map((line) => line.split(","));
}

describe("value of a topic", () => {
  it("takes precedence", async () => {
    using warehouse = makeCalls();
    const rows = await write(warehouse, "google-ads", { value: "40", currency: "EUR" });
    expect(rows.map((row) => row.slice(3, 5))).toEqual([
      ["250", "EUR"],
      ["250", "EUR"],
      ["40", "EUR"],
      ["40", "EUR"],
    ]);
  });

  it("the value of a topic is written without any other value", async () => {
    using warehouse = makeCalls();
    const rows = await write(warehouse, "google-ads", { currency: "EUR" });
    expect(rows.map((row) => row.slice(3, 5))).toEqual([
      ["250", "EUR"],
      ["250", "EUR"],
      ["", ""],
      ["", ""],
    ]);
  });

  it("the value of a topic is restated once when it changes, and retracted when it no longer qualifies", async () => {
    using warehouse = makeCalls();
    await write(warehouse, "google-ads", { value: "40" });
    const adjust = async (topics: typeof TOPICS, value?: string) =>
      (await write(warehouse, "google-ads-adjustments", { topics, ...(value && { value }) })).map((row) => [
        row[0],
        ...row.slice(3, 5),
      ]);
    expect(await adjust(TOPICS)).toEqual([]);
    expect(await adjust(TOPICS, "40")).toEqual([]);
    const [emergency, job, quote] = [
      line("emergency", true, "300"),
      line("job", false, null),
      line("quote", false, null),
    ];
    const restated = [
      ["call-1", "RESTATE", "300"],
      ["call-2", "RESTATE", "300"],
      ["call-4", "RETRACT", ""],
    ];
    expect(await adjust([emergency, job, quote])).toEqual(restated);
    expect(await adjust([emergency, job, quote])).toEqual([]);
    expect(await adjust([line("quote", null, null)], "40")).toEqual([
      ["call-1", "RETRACT", ""],
      ["call-2", "RESTATE", "40"],
    ]);
  });
});
