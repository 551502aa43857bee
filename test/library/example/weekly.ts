import { CalltallyError, openWarehouse, type RollupQuestion, syncWarehouse } from "@calltally/calltally";

// Syncs, and prints the basis of the figures and last week's calls by channel, as JSON.
const { CALLS_URL: baseUrl = "", CALLS_TOKEN: token = "" } = process.env;
const database = "calls.db";
const print = (result: object) => process.stdout.write(`${JSON.stringify(result)}\n`);
const totals = new Set<number>();
const question = {
  by: ["channel" as const],
  range: { from: "2026-10-19", to: "2026-10-25" },
  timezone: "America/New_York",
  filter: { min_duration_seconds: 60 },
  total: true,
} satisfies RollupQuestion;

try {
  const run = await syncWarehouse({
    database,
    baseUrl,
    token,
    onProgress: ({ total }) => totals.add(total),
  });
  await using warehouse = openWarehouse(database);
  const basis = await warehouse.readBasis();
  const { columns, rows } = await warehouse.rollup(question);
  const units = columns.map(({ name, type, decimals = 0 }) => `${name} ${type} ${decimals}`);
  print({ run, totals: [...totals], basis, units, rows });
} catch (error) {
  if (!(error instanceof CalltallyError)) throw error;
  print({ error: error.message, hint: error.hint ?? null });
  process.exitCode = error.exitCode;
}
