import { expect, it } from "vitest";
import { openLocalCalls } from "../../../src/features/cluster/local-rows.ts";
import { openReader } from "../../../src/warehouse/file/open.ts";
import { makeTexts, TEXTS } from "../../export/formula-texts.ts";

it.each([true, false])(
  "rows for a cluster have texts without a guard, with personal data: %s",
  (isPersonal) => {
    using folder = makeTexts();
    using reader = openReader(folder.database);
    const { table, read } = openLocalCalls(reader, {
      account: "austin",
      shards: 1,
      isPersonal,
      timezone: "UTC",
    });
    const at = Object.keys(table.columns).indexOf("campaign");
    const rows = [...read({ ids: [1, 2, 3] })].toSorted((a, b) => a.id - b.id);
    expect([at >= 0, rows.map(({ values }) => values[at])]).toEqual([true, TEXTS]);
  },
);
