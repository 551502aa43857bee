import { z } from "zod";
import { askRollup } from "../../../src/library/ask-rollup.ts";
import { sourceOf } from "../../../src/produce/warehouse-source.ts";
import { REQUEST_KEYS } from "../../../src/request/export-request.ts";
import type { AccountName } from "./accounts.ts";
import { openScene } from "./build.ts";
import type { Asked, OracleRow } from "./oracle.ts";

const exportRequest = z.strictObject(REQUEST_KEYS);

/** Asks an account of the scene for a table, as settings, request and source are joined for the library and assistants. */
export async function askScene(name: AccountName, { timezone, ...asked }: Asked & Record<string, unknown>) {
  const settings = openScene().settingsOf(name);
  const request = exportRequest.parse(asked);
  const { table, manifest } = await askRollup(sourceOf(settings), {
    request,
    timezone: timezone ?? settings.timezone,
  });
  const rows = table.rows.map((row) =>
    Object.fromEntries(table.columns.map(({ name: column }, index) => [column, row[index] ?? null])),
  );
  return { rows, manifest };
}

/** Returns the members of rows that the oracle has, for a comparison of whole rows. */
export function alike(rows: readonly Record<string, unknown>[], expected: readonly OracleRow[]): unknown[] {
  const names = Object.keys(expected[0] ?? {});
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null])));
}
