import type { FactColumn } from "../../../calls/facts.ts";
import type { Cells, Side } from "../../../figures/cells/cells.ts";
import { type FactValue, namedDictionaries } from "../../../figures/dictionary.ts";
import { type Dimension, type KeyColumn, keyColumns, WEEKDAYS } from "../../../figures/dimensions.ts";
import { showKey } from "../../../figures/key-order.ts";
import type { Codes } from "../../../figures/key-table.ts";
import { periodCodes } from "../../../figures/time-keys.ts";
import { type Condition, toConditions } from "../../../sources/call-filter.ts";
import type { PageFacts } from "../page-facts.ts";
import { exportFilterOf, type PageFilter } from "./page-filter.ts";
import type { PageRows, Test } from "./page-rows.ts";

const DAY_MS = 86_400_000;
/** The first day of 1970 was a Thursday. */
const DAYS_SINCE_MONDAY = 3;

/** The values of key columns, which calls, spend and outcomes share; and the tests of filters on them. */
export class PageKeys {
  readonly #rules: PageFacts["rules"];
  readonly dictionaryOf = namedDictionaries();

  constructor(rules: PageFacts["rules"]) {
    this.#rules = rules;
  }

  weekdaysOf(startsMs: Float64Array): Codes {
    const weekdays = this.dictionaryOf("weekday");
    const codes = WEEKDAYS.map((weekday) => weekdays.codeOf(weekday));
    return Int32Array.from(
      startsMs,
      (ms) => codes[(Math.floor(ms / DAY_MS) + DAYS_SINCE_MONDAY) % codes.length] ?? 0,
    );
  }

  /** Returns the cell of each row. */
  cellsOf({ rows, startsMs, codes }: PageRows, cells: Cells, periods: Side["periods"]): Codes {
    const columns = cells.columns.map(({ key }) => codes.get(key.name) ?? new Int32Array(rows));
    const ofPeriods = cells.periods && periodCodes(startsMs, periods ?? [], cells.periods);
    return cells.encode(cells.table.encode(columns, rows), ofPeriods);
  }

  /** Filters that `export` has, too, follow its rules; of other dimensions values are chosen as shown. */
  testsOf(filter: PageFilter, codes: PageRows["codes"]): Test[] {
    const { exported, others } = exportFilterOf(filter);
    const conditions = toConditions({ ...exported, include_gone: true }, this.#rules, {
      readValues: (fact) => this.dictionaryOf(columnOf(fact)).values,
    });
    return [
      ...conditions.map((condition) => this.#testOf(condition, codes)),
      ...others.map(([dimension, texts]) => this.#testOfShown(dimension, texts, codes)),
    ];
  }

  #testOf(condition: Condition, codes: PageRows["codes"]): Test {
    if ("any" in condition) return condition.any.flatMap((one) => this.#testOf(one, codes));
    if (!("isOneOf" in condition)) throw new Error("The page has no such filter");
    const wanted = new Set(condition.isOneOf);
    return [this.#wantedIn(columnOf(condition.fact), codes, (value) => wanted.has(value))];
  }

  #testOfShown(dimension: Dimension, texts: readonly string[], codes: PageRows["codes"]): Test {
    const wanted = new Set(texts);
    const [key] = keyColumns([dimension]);
    if (key === undefined) throw new Error(`${dimension} has no column`);
    return [this.#wantedIn(key.name, codes, (value) => wanted.has(String(showKey(key, value))))];
  }

  #wantedIn(column: string, codes: PageRows["codes"], isWanted: (value: FactValue) => boolean): Test[number] {
    const { values } = this.dictionaryOf(column);
    return { codes: codes.get(column), wanted: Uint8Array.from(values, (value) => Number(isWanted(value))) };
  }
}

/** The key column of a fact has its name, or that of its dimension. */
function columnOf(fact: FactColumn): KeyColumn["name"] {
  return fact === "org_unit_name" ? "org_unit" : fact;
}
