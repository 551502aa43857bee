import { describe, expect, it } from "vitest";
import { CHANGE_REASONS } from "../../src/rollup/change-reasons.ts";
import {
  DEFAULT_DIMENSIONS,
  DIMENSIONS,
  isLocal,
  keyColumns,
  namesOf,
  SPEND_DIMENSIONS,
  WEEKDAYS,
} from "../../src/rollup/dimensions.ts";
import { durationBounds } from "../../src/rollup/duration-bands.ts";
import { figureText, partName, partsOf } from "../../src/rollup/figure-sql.ts";
import { isCompared, isOfSpend, METRIC_NAMES, metrics, spendMetrics } from "../../src/rollup/metrics.ts";
import { callMeasures, measuresOf, rollupColumns } from "../../src/rollup/rollup-query.ts";
import { MATCHES } from "../../src/rollup/spend-campaigns.ts";
import { groupBy, literal } from "../../src/rollup/sql-text.ts";
import { shownKeyText } from "../../src/rollup/sqlite/sqlite-calls-sql.ts";

const SECONDS = { duration_unit: "seconds" } as const;
const MILLISECONDS = { duration_unit: "milliseconds" } as const;
const EUR = { currency: "EUR", decimals: 3 };

describe("keyColumns", () => {
  it("has the columns of each dimension, and the facts they show", () => {
    const columns = DIMENSIONS.flatMap((dimension) =>
      keyColumns([dimension]).map(({ name, type, of, isNamed }) =>
        [dimension, name, type, JSON.stringify(of), isNamed].join(" "),
      ),
    );
    expect(columns).toMatchInlineSnapshot(`
      [
        "utm_source utm_source text {"fact":"utm_source_folded"} true",
        "utm_medium utm_medium text {"fact":"utm_medium_folded"} true",
        "utm_campaign utm_campaign text {"fact":"utm_campaign_folded"} true",
        "utm_content utm_content text {"fact":"utm_content_folded"} true",
        "utm_term utm_term text {"fact":"utm_term_folded"} true",
        "source source text {"fact":"source"} true",
        "medium medium text {"fact":"medium"} true",
        "campaign campaign text {"fact":"campaign"} true",
        "campaign campaign_id text {"fact":"campaign_id"} false",
        "gclid gclid text {"fact":"gclid"} true",
        "channel channel text {"fact":"channel"} true",
        "insight_name insight_name text {"fact":"insight_name"} true",
        "org_unit org_unit text {"fact":"org_unit_name"} true",
        "org_unit org_unit_id integer {"fact":"org_unit_id"} false",
        "tracking_number tracking_number text {"fact":"tracking_number"} true",
        "disposition disposition text {"fact":"disposition"} true",
        "referring_host referring_host text {"fact":"referring_host"} true",
        "weekday weekday text {"local":"weekday"} true",
        "hour hour text {"local":"hour"} true",
      ]
    `);
    expect(keyColumns(DIMENSIONS)).toEqual(DIMENSIONS.flatMap((dimension) => keyColumns([dimension])));
    expect(keyColumns([])).toEqual([]);
  });

  it("has the utm members as they are stored where raw, and no others", () => {
    const raw = keyColumns(DIMENSIONS, { raw: true });
    expect(raw.filter(({ of }) => "stored" in of)).toEqual(
      ["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"].map((name) => ({
        name,
        type: "text",
        of: { stored: name },
        isNamed: true,
      })),
    );
    expect(raw.slice(5)).toEqual(keyColumns(DIMENSIONS).slice(5));
  });
});

describe("lists of names", () => {
  it("are these", () => {
    expect({
      CHANGE_REASONS,
      DEFAULT_DIMENSIONS,
      MATCHES,
      SPEND_DIMENSIONS,
      WEEKDAYS,
    }).toMatchInlineSnapshot(`
      {
        "CHANGE_REASONS": [
          "late",
          "corrected",
          "gone",
          "returned",
          "rules",
          "first_call",
        ],
        "DEFAULT_DIMENSIONS": [
          "utm_source",
          "campaign",
          "gclid",
        ],
        "MATCHES": [
          "id",
          "name",
          "unmatched",
          "unnamed",
        ],
        "SPEND_DIMENSIONS": [
          "source",
          "medium",
          "campaign",
          "channel",
        ],
        "WEEKDAYS": [
          "Monday",
          "Tuesday",
          "Wednesday",
          "Thursday",
          "Friday",
          "Saturday",
          "Sunday",
        ],
      }
    `);
    expect([...METRIC_NAMES]).toEqual(metrics(SECONDS).map(({ name }) => name));
    expect(namesOf({ one: 1, two: undefined })).toEqual(["one", "two"]);
  });
});

describe("isLocal", () => {
  it("is true of weekday and hour alone, in any place", () => {
    expect(DIMENSIONS.filter((dimension) => isLocal([dimension]))).toEqual(["weekday", "hour"]);
    expect([isLocal([]), isLocal(["channel", "hour"]), isLocal(["channel", "source"])]).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe("metrics", () => {
  it("of calls are these, in this order", () => {
    expect(metrics(SECONDS)).toMatchInlineSnapshot(`
      [
        {
          "aggregate": {
            "kind": "count",
          },
          "help": "Calls.",
          "isAdditive": true,
          "isCount": true,
          "name": "calls",
          "type": "integer",
        },
        {
          "aggregate": {
            "kind": "count with outcome",
            "outcome": "answered",
          },
          "help": "Calls whose disposition counts as answered.",
          "isAdditive": true,
          "isCount": true,
          "name": "answered_calls",
          "type": "integer",
        },
        {
          "aggregate": {
            "kind": "count with outcome",
            "outcome": "missed",
          },
          "help": "Calls whose disposition counts as missed.",
          "isAdditive": true,
          "isCount": true,
          "name": "missed_calls",
          "type": "integer",
        },
        {
          "aggregate": {
            "kind": "count with outcome",
            "outcome": "other",
          },
          "help": "Calls with any other disposition, or none.",
          "isAdditive": true,
          "isCount": true,
          "name": "other_calls",
          "type": "integer",
        },
        {
          "aggregate": {
            "decimals": 4,
            "kind": "share with outcome",
            "outcome": "answered",
          },
          "decimals": 4,
          "help": "answered_calls / calls.",
          "isShare": true,
          "name": "answer_rate",
          "type": "decimal",
        },
        {
          "aggregate": {
            "fact": "caller",
            "kind": "count distinct",
          },
          "help": "Different callers in the row, by the digits of their numbers; does not add up across rows.",
          "isCount": true,
          "name": "unique_callers",
          "type": "integer",
        },
        {
          "aggregate": {
            "fact": "is_first_call",
            "kind": "count where",
          },
          "help": "Callers whose first call in the warehouse is in the row.",
          "isAdditive": true,
          "isCount": true,
          "name": "first_time_callers",
          "type": "integer",
        },
        {
          "aggregate": {
            "fact": "is_qualified",
            "kind": "count where",
          },
          "help": "Calls that were answered and lasted long enough.",
          "isAdditive": true,
          "isCount": true,
          "name": "qualified_calls",
          "type": "integer",
        },
        {
          "aggregate": {
            "kind": "total seconds",
          },
          "help": "Sum of the durations, in seconds.",
          "isAdditive": true,
          "isCount": true,
          "name": "total_duration_seconds",
          "type": "integer",
        },
        {
          "aggregate": {
            "kind": "average seconds",
          },
          "decimals": 1,
          "help": "Average over the calls that have a duration, in seconds.",
          "name": "average_duration_seconds",
          "type": "decimal",
        },
        {
          "aggregate": {
            "kind": "median seconds",
          },
          "decimals": 1,
          "help": "Median over the calls that have a duration, in seconds: the middle one, or the mean of the two in the middle.",
          "name": "median_duration_seconds",
          "type": "decimal",
        },
        {
          "aggregate": {
            "fact": "call_started",
            "kind": "earliest",
          },
          "help": "Start of the earliest call, UTC.",
          "name": "first_call_at",
          "type": "time",
        },
        {
          "aggregate": {
            "fact": "call_started",
            "kind": "latest",
          },
          "help": "Start of the latest call, UTC.",
          "name": "last_call_at",
          "type": "time",
        },
      ]
    `);
    const changed = metrics(MILLISECONDS).filter(
      (metric, index) => JSON.stringify(metric) !== JSON.stringify(metrics(SECONDS)[index]),
    );
    expect(changed).toEqual([{ ...metrics(SECONDS)[8], type: "decimal", decimals: 3 }]);
  });

  it("of spend are these, in this order", () => {
    expect(spendMetrics(EUR)).toMatchInlineSnapshot(`
      [
        {
          "aggregate": {
            "kind": "spend",
            "of": "cost_micros",
          },
          "currency": "EUR",
          "decimals": 3,
          "help": "What ads cost, as \`spend import\` read it.",
          "isAdditive": true,
          "name": "cost",
          "type": "decimal",
        },
        {
          "aggregate": {
            "kind": "spend",
            "of": "clicks",
          },
          "help": "Clicks on the ads, as the reports of spend have them.",
          "isAdditive": true,
          "name": "clicks",
          "type": "integer",
        },
        {
          "aggregate": {
            "kind": "spend",
            "of": "impressions",
          },
          "help": "Times that the ads were shown, as the reports of spend have them.",
          "isAdditive": true,
          "name": "impressions",
          "type": "integer",
        },
        {
          "aggregate": {
            "kind": "cost per",
            "of": "calls",
          },
          "currency": "EUR",
          "decimals": 2,
          "help": "cost / calls; in the rows (total) and (other), only of keys that have spend.",
          "name": "cost_per_call",
          "type": "decimal",
        },
        {
          "aggregate": {
            "kind": "cost per",
            "of": "qualified_calls",
          },
          "currency": "EUR",
          "decimals": 2,
          "help": "cost / qualified_calls; in the rows (total) and (other), only of keys that have spend.",
          "name": "cost_per_qualified_call",
          "type": "decimal",
        },
        {
          "aggregate": {
            "kind": "cost per",
            "of": "first_time_callers",
          },
          "currency": "EUR",
          "decimals": 2,
          "help": "cost / first_time_callers; in the rows (total) and (other), only of keys that have spend.",
          "name": "cost_per_first_time_caller",
          "type": "decimal",
        },
      ]
    `);
    expect(metrics(SECONDS).some(isOfSpend)).toBe(false);
    expect(spendMetrics(EUR).every(isOfSpend)).toBe(true);
  });

  it("have a change but for times", () => {
    expect(
      metrics(SECONDS)
        .filter((metric) => !isCompared(metric))
        .map(({ name }) => name),
    ).toEqual(["first_call_at", "last_call_at"]);
  });
});

describe("rollupColumns", () => {
  it("has the period, the keys, the figures that are wanted, those of spend, and what is compared", () => {
    const names = (...query: Parameters<typeof rollupColumns>) =>
      rollupColumns(...query).map(({ name }) => name);
    expect(names({ dimensions: ["channel"], figures: ["unique_callers", "cost_per_call"] }, SECONDS)).toEqual(
      ["channel", "calls", "unique_callers"],
    );
    const query = {
      dimensions: ["campaign", "hour"],
      figures: ["answer_rate", "last_call_at", "total_duration_seconds", "cost"],
      periods: [],
      previous: { span: {} },
      spend: EUR,
    } as const;
    expect(
      rollupColumns({ ...query, dimensions: [...query.dimensions] }, MILLISECONDS),
    ).toMatchInlineSnapshot(`
      [
        {
          "isKey": true,
          "name": "period",
          "type": "text",
        },
        {
          "isKey": true,
          "name": "campaign",
          "type": "text",
        },
        {
          "isId": true,
          "isKey": true,
          "name": "campaign_id",
          "type": "text",
        },
        {
          "isKey": true,
          "name": "hour",
          "type": "text",
        },
        {
          "help": "Calls.",
          "isAdditive": true,
          "name": "calls",
          "type": "integer",
        },
        {
          "comparison": {
            "of": "calls",
            "shows": "previous",
          },
          "isAdditive": true,
          "name": "calls_previous",
          "type": "integer",
        },
        {
          "comparison": {
            "of": "calls",
            "shows": "change",
          },
          "decimals": 4,
          "name": "calls_change",
          "type": "decimal",
        },
        {
          "decimals": 4,
          "help": "answered_calls / calls.",
          "isShare": true,
          "name": "answer_rate",
          "type": "decimal",
        },
        {
          "comparison": {
            "of": "answer_rate",
            "shows": "previous",
          },
          "decimals": 4,
          "isShare": true,
          "name": "answer_rate_previous",
          "type": "decimal",
        },
        {
          "comparison": {
            "of": "answer_rate",
            "shows": "change",
          },
          "decimals": 4,
          "name": "answer_rate_change",
          "type": "decimal",
        },
        {
          "decimals": 3,
          "help": "Sum of the durations, in seconds.",
          "isAdditive": true,
          "name": "total_duration_seconds",
          "type": "decimal",
        },
        {
          "comparison": {
            "of": "total_duration_seconds",
            "shows": "previous",
          },
          "decimals": 3,
          "isAdditive": true,
          "name": "total_duration_seconds_previous",
          "type": "decimal",
        },
        {
          "comparison": {
            "of": "total_duration_seconds",
            "shows": "change",
          },
          "decimals": 4,
          "name": "total_duration_seconds_change",
          "type": "decimal",
        },
        {
          "help": "Start of the latest call, UTC.",
          "name": "last_call_at",
          "type": "time",
        },
        {
          "currency": "EUR",
          "decimals": 3,
          "help": "What ads cost, as \`spend import\` read it.",
          "isAdditive": true,
          "name": "cost",
          "type": "decimal",
        },
        {
          "comparison": {
            "of": "cost",
            "shows": "previous",
          },
          "currency": "EUR",
          "decimals": 3,
          "isAdditive": true,
          "name": "cost_previous",
          "type": "decimal",
        },
        {
          "comparison": {
            "of": "cost",
            "shows": "change",
          },
          "decimals": 4,
          "name": "cost_change",
          "type": "decimal",
        },
      ]
    `);
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

describe("figureText", () => {
  it.each([SECONDS, MILLISECONDS])("makes figures of their parts, in $duration_unit", (rules) => {
    const texts = metrics(SECONDS).map(({ aggregate }) => figureText(aggregate, rules, partName));
    expect(texts.join("\n")).toMatchSnapshot();
  });

  it("names the parts of all figures, each once", () => {
    const parts = partsOf(metrics(SECONDS).map(({ aggregate }) => aggregate));
    expect(parts.map((part) => `${partName(part)} ${JSON.stringify(part)}`).join("\n")).toMatchSnapshot();
    expect(partsOf([])).toEqual([]);
  });
});

describe("shownKeyText", () => {
  it("shows a value as a key: in quotes where it reads like ours, (not set) for none but for ids", () => {
    const [campaign, id, hour] = keyColumns(["campaign", "hour"]);
    if (campaign === undefined || id === undefined || hour === undefined)
      throw new Error("There are no such keys");
    expect([campaign, id, hour].map((key) => shownKeyText(key, "x")).join("\n")).toMatchInlineSnapshot(`
      "coalesce(CASE WHEN x >= '"' AND x < ')' AND lower(trim(x, '"')) IN ('(not set)', '(total)', '(other)') THEN '"' || x || '"' ELSE x END, '(not set)')
      x
      coalesce(x, '(not set)')"
    `);
  });
});

describe("durationBounds", () => {
  it("begins a band with a qualified call, once, and in order", () => {
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
  it("has texts with their apostrophes doubled, and no GROUP BY of nothing", () => {
    expect([literal("it's 'ok'"), literal("")]).toEqual(["'it''s ''ok'''", "''"]);
    expect([groupBy([]), groupBy(["1"]), groupBy(["1", "name"])]).toEqual([
      "",
      "GROUP BY 1\n",
      "GROUP BY 1, name\n",
    ]);
  });
});
