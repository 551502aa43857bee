import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readLines } from "../support/figures/tables.ts";
import { openWarehouse } from "../support/library.ts";
import { answering } from "../support/services/mcp.ts";
import { makeTexts, TEXTS } from "./formula-texts.ts";

// Programs read these: a guard against formulas would be stored with the text.
it("a query, a rollup and a machine's file of the library have texts without a guard", async () => {
  using folder = makeTexts();
  await using warehouse = openWarehouse(folder.database);
  const rows = await Array.fromAsync(
    warehouse.query("SELECT utm_term FROM attributed_calls ORDER BY call_id"),
  );
  expect(rows.map((row) => row.utm_term)).toEqual(TEXTS);
  const rollup = await warehouse.rollup({ by: ["utm_term"] });
  expect(rollup.rows.map(({ utm_term }) => utm_term).toSorted()).toEqual(TEXTS.toSorted());
  for (const [profile, expected] of [
    ["machine", TEXTS],
    [undefined, ["'+austin", "'=1+1", "'+plumber"]],
  ] as const) {
    const to = join(folder.folder, `files-${profile}`);
    await warehouse.export(to, { contents: ["calls"], profile });
    const [header = [], ...lines] = readLines(readFileSync(join(to, "calls.csv"), "utf8"));
    expect(lines.map((cells) => cells[header.indexOf("utm_term")])).toEqual(expected);
  }
});

it("an assistant reads texts without a guard: figures and calls", async () => {
  using folder = makeTexts();
  const assistant = answering(folder.folder, { env: folder.env });
  const range = { from: "2026-09-01", to: "2026-09-30" };
  const figures = await assistant.ask("figures", { by: ["utm_term"], range });
  for (const [index, utm_term] of TEXTS.entries()) {
    expect(figures).toMatchObject({ rows: expect.arrayContaining([expect.objectContaining({ utm_term })]) });
    const explained = await assistant.ask("explain_call", { call_id: index + 1 });
    expect(explained).toMatchObject({ dni: { utm_term } });
  }
});
