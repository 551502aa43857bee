import { expect, it } from "vitest";
import { makeWarehouse, type Target } from "../support/figures/produce-files.ts";
import { CALLER, NEIGHBOR, SPELLINGS } from "../support/phone-spellings.ts";
import { readText } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";

const callsOf = (texts: readonly string[], disposition: string) =>
  texts.map((caller_id, index) =>
    makeCall({
      ...{ call_id: index + 1, caller_id, disposition, duration: 90, utm_source: "google" },
      call_started: new Date(Date.parse("2026-09-20T10:00:00.000Z") + index * 60_000).toISOString(),
    }),
  );

async function readRows(
  warehouse: ReturnType<typeof makeWarehouse>,
  target: Target,
  options: { filter?: { exclude_callers: readonly string[] } } = {},
): Promise<Record<string, unknown>[]> {
  const { folder, manifest } = await warehouse.export({
    targets: [target],
    format: { format: "json" },
    ...options,
  });
  return JSON.parse(readText(folder, manifest.files[0]?.file ?? ""));
}

const SOURCES: Target = { kind: "rollup", dimensions: ["source"] };

it("all spellings of a number are one caller in lists, figures and filters", async () => {
  using warehouse = makeWarehouse(callsOf([...SPELLINGS, NEIGHBOR], "answered"));
  const calls = SPELLINGS.length;
  expect(await readRows(warehouse, { kind: "callers" })).toMatchObject([{ calls }, { calls: 1 }]);
  const figures = { calls: calls + 1, unique_callers: 2, first_time_callers: 2 };
  expect(await readRows(warehouse, SOURCES)).toMatchObject([figures]);
  for (const text of [CALLER, SPELLINGS.at(-1) ?? "", "tel:+1-512-555-0101;ext=12"])
    expect(await readRows(warehouse, SOURCES, { filter: { exclude_callers: [text] } })).toMatchObject([
      { calls: 1, unique_callers: 1 },
    ]);
});

it("somebody who was answered under another spelling needs no callback", async () => {
  const spelled = SPELLINGS.map((text, index) => [text, SPELLINGS[index + 1] ?? CALLER] as const);
  for (const [missed, answered] of spelled) {
    const [first, second] = callsOf([missed, answered], "busy");
    if (first === undefined || second === undefined) continue;
    using warehouse = makeWarehouse([first, { ...second, disposition: "answered" }]);
    expect(await readRows(warehouse, { kind: "callbacks" }), missed).toEqual([]);
  }
  using warehouse = makeWarehouse(callsOf(SPELLINGS, "busy"));
  expect(await readRows(warehouse, { kind: "callbacks" })).toMatchObject([
    { missed_calls: SPELLINGS.length },
  ]);
});
