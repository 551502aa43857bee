import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { type Call, DNI_FIELDS } from "../../../src/calls/columns.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/server.ts";
import { foldRollup } from "../../support/figures/fold.ts";
import { calltally, settingsFor } from "../../support/run.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";

const nullableText = z.string().nullable().default(null);
const nullableNumber = z.number().nullable().default(null);
const wireCall = z.object({
  call_id: z.number(),
  caller_id: nullableText,
  call_started: nullableText,
  duration: nullableNumber,
  disposition: nullableText,
  dni_data: z.object(Object.fromEntries(DNI_FIELDS.map((field) => [field, nullableText]))).nullish(),
});

/** The calls of the sandbox, read without the program's own parser. */
function servedCalls(sandbox: Sandbox): Call[] {
  return sandbox.calls.ids.map((id) => {
    const { dni_data, ...members } = wireCall.parse(sandbox.calls.get(id));
    return makeCall({ ...members, ...dni_data });
  });
}

function readCsv(folder: string, file: string): string[][] {
  return parse(readFileSync(join(folder, "data/exports", file)), { relaxColumnCount: false });
}

/** A cell as the CSV file shows it: rates and averages with fixed decimals, blank for none, formulas guarded. */
function toCell(value: string | number | null, column: string): string {
  if (value === null) return "";
  if (/_rate$/.test(column)) return Number(value).toFixed(4);
  if (/^(average|median)_/.test(column)) return Number(value).toFixed(1);
  return typeof value === "string" && /^[=+@-]/.test(value) ? `'${value}` : String(value);
}

describe("sync, then export", () => {
  it("tally every served call", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 2032, oddTexts: true });
    const options = { cwd: folder.path, env: settingsFor(sandbox) };

    const sync = await calltally(["sync", "--json"], options);
    expect(sync).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(sync.stdout)).toMatchObject({
      verdict: "exact",
      calls_read: 2032,
      calls_new: 2032,
    });
    expect(await calltally(["export"], options)).toMatchObject({ code: 0, stderr: "" });

    const calls = servedCalls(sandbox);
    for (const dimension of ["utm_source", "campaign", "gclid"]) {
      const [header = [], ...rows] = readCsv(folder.path, `${dimension}.csv`);
      const expected = foldRollup(calls, { dimensions: [dimension], rules: DEFAULT_RULES });
      expect(rows).toEqual(
        expected.map((row) => row.map((value, index) => toCell(value, header[index] ?? ""))),
      );
    }
  });
});
