import { describe, expect, it } from "vitest";
import { DIMENSIONS, isLocal, keyColumns } from "../../src/figures/dimensions.ts";
import { durationBounds } from "../../src/figures/duration-bands.ts";
import { isCompared, isOfSpend, METRIC_NAMES, metrics, spendMetrics } from "../../src/figures/metrics.ts";
import { callMeasures, measuresOf, rollupColumns } from "../../src/figures/rollup-query.ts";
import { groupBy, literal } from "../../src/sources/sql-text.ts";

const SECONDS = { duration_unit: "seconds" } as const;
const MILLISECONDS = { duration_unit: "milliseconds" } as const;
const EUR = { currency: "EUR", decimals: 3 };

describe("keyColumns", () => {
  it("contains the utm members unfolded if raw, and nothing else unfolded", () => {
    const raw = keyColumns(DIMENSIONS, { raw: true });
    expect(raw.filter(({ of }) => "stored" in of)).toEqual(
      ["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"].map((name) => ({
        name,
        type: "text",
        of: { stored: name },
        isNamed: true,
        help: "As stored.",
      })),
    );
    expect(raw.slice(5)).toEqual(keyColumns(DIMENSIONS).slice(5));
  });
});

describe("isLocal", () => {
  it("returns true only for weekday and hour, at any position", () => {
    expect(DIMENSIONS.filter((dimension) => isLocal([dimension]))).toEqual(["weekday", "hour"]);
    expect([isLocal([]), isLocal(["channel", "hour"]), isLocal(["channel", "source"])]).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe("metrics", () => {
  it("each metric has a change, except times", () => {
    const compared = [...metrics(SECONDS), ...spendMetrics(EUR)].filter(isCompared);
    expect(compared.filter(({ type }) => type === "time")).toEqual([]);
    expect(compared).toHaveLength(METRIC_NAMES.size - 2 + spendMetrics(EUR).length);
    expect(spendMetrics(EUR).every(isOfSpend)).toBe(true);
    expect(metrics(SECONDS).some(isOfSpend)).toBe(false);
  });
});

describe("rollupColumns", () => {
  it("returns period, keys, requested figures, spend, and comparison in order", () => {
    const names = (...query: Parameters<typeof rollupColumns>) =>
      rollupColumns(...query).map(({ name }) => name);
    expect(names({ dimensions: ["channel"], figures: ["unique_callers", "cost_per_call"] }, SECONDS)).toEqual(
      ["channel", "calls", "unique_callers"],
    );
    const query = {
      dimensions: ["campaign", "hour"],
      figures: ["answer_rate", "last_call_at", "total_duration_seconds", "cost"],
      periods: [],
      compared: [{ span: {} }],
      spend: EUR,
    } as const;
    const columns = rollupColumns({ ...query, dimensions: [...query.dimensions] }, MILLISECONDS);
    expect(
      columns.map(({ name, type, help: _, comparison, ...others }) =>
        [name, type, comparison?.shows, comparison?.of, JSON.stringify(others)].filter(Boolean).join(" "),
      ),
    ).toEqual([
      'period text {"isKey":true}',
      'campaign text {"isKey":true}',
      'campaign_id text {"isKey":true,"isId":true}',
      'hour text {"isKey":true}',
      'calls integer {"isAdditive":true}',
      'calls_previous integer previous calls {"isAdditive":true}',
      'calls_change decimal change calls {"decimals":4}',
      'answer_rate decimal {"decimals":4,"isShare":true}',
      'answer_rate_previous decimal previous answer_rate {"decimals":4,"isShare":true}',
      'answer_rate_change decimal points answer_rate {"decimals":4}',
      'total_duration_seconds decimal {"isAdditive":true,"decimals":3}',
      'total_duration_seconds_previous decimal previous total_duration_seconds {"isAdditive":true,"decimals":3}',
      'total_duration_seconds_change decimal change total_duration_seconds {"decimals":4}',
      "last_call_at time {}",
      'cost decimal {"decimals":3,"currency":"EUR","isAdditive":true}',
      'cost_previous decimal previous cost {"decimals":3,"currency":"EUR","isAdditive":true}',
      'cost_change decimal change cost {"decimals":4}',
    ]);
    expect(rollupColumns({ dimensions: ["utm_source"], raw: true }, SECONDS)[0]).toEqual({
      name: "utm_source",
      type: "text",
      isKey: true,
    });
    expect(callMeasures(measuresOf({ dimensions: [], spend: EUR }, SECONDS))).toEqual(metrics(SECONDS));
    expect(measuresOf({ dimensions: [] }, SECONDS)).toEqual(metrics(SECONDS));
    expect(measuresOf({ dimensions: [], spend: EUR }, SECONDS)).toEqual([
      ...metrics(SECONDS),
      ...spendMetrics(EUR),
    ]);
  });
});

describe("durationBounds", () => {
  it("start a band at the qualified duration, once and in order", () => {
    const bounds = [0, 30, 60, 120, 300, 600, 1800];
    expect([60, 0, 1800].map((qualified_seconds) => durationBounds({ qualified_seconds }))).toEqual([
      bounds,
      bounds,
      bounds,
    ]);
    expect(durationBounds({ qualified_seconds: 9 })).toEqual([0, 9, 30, 60, 120, 300, 600, 1800]);
    expect(durationBounds({ qualified_seconds: 45.5 })).toEqual([0, 30, 45.5, 60, 120, 300, 600, 1800]);
    expect(durationBounds({ qualified_seconds: 2000 })).toEqual([...bounds, 2000]);
  });
});

describe("SQL", () => {
  it("doubles apostrophes in texts, and has no empty GROUP BY", () => {
    expect([literal("it's 'ok'"), literal("")]).toEqual(["'it''s ''ok'''", "''"]);
    expect([groupBy([]), groupBy(["1"]), groupBy(["1", "name"])]).toEqual([
      "",
      "GROUP BY 1\n",
      "GROUP BY 1, name\n",
    ]);
  });
});
