import { z } from "zod";
import { askRollup } from "../../../src/library/ask-rollup.ts";
import { sourceOf } from "../../../src/produce/warehouse-source.ts";
import { REQUEST_KEYS } from "../../../src/request/export-request.ts";
import type { AccountName } from "./accounts.ts";
import { openScene } from "./build.ts";
import type { Asked, OracleRow } from "./oracle.ts";

const exportRequest = z.strictObject(REQUEST_KEYS);

interface Options {
  /** Settings in place of those of the file. */
  env?: Record<string, string>;
  /** More of the request. */
  request?: Record<string, unknown>;
  isEmptyAllowed?: boolean;
}

/** Asks an account of the scene for a table, as settings, request and source are joined for the library and assistants. */
export async function askScene(
  name: AccountName,
  { timezone, filter, ...asked }: Asked,
  { env = {}, request = {}, isEmptyAllowed = false }: Options = {},
) {
  const settings = openScene().settingsOf(name, env);
  const { table, manifest } = await askRollup(sourceOf(settings), {
    request: exportRequest.parse({
      ...asked,
      ...request,
      filter: { ...filter, ...(isEmptyAllowed && { allow_empty: true }) },
    }),
    timezone: timezone ?? settings.timezone,
  });
  const lines = [...table.rows, ...(table.totals ?? []).map(({ values }) => values)];
  const rows = lines.map((row) =>
    Object.fromEntries(table.columns.map(({ name: column }, index) => [column, row[index] ?? null])),
  );
  return { rows, manifest };
}

/** Returns the members of rows that the oracle has, for a comparison of whole rows. */
export function alike(rows: readonly Record<string, unknown>[], expected: readonly OracleRow[]): unknown[] {
  const names = Object.keys(expected[0] ?? {});
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null])));
}
