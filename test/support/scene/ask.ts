import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AS_WRITTEN, check } from "../../../src/config/request/check.ts";
import { REQUEST_KEYS } from "../../../src/config/request/export-request.ts";
import { resolve } from "../../../src/config/request/resolve.ts";
import { folderOutput } from "../../../src/export/output/folder.ts";
import { askRollup } from "../../../src/library/ask-rollup.ts";
import { produce } from "../../../src/reports/produce/produce.ts";
import { sourceOf } from "../../../src/reports/produce/warehouse-source.ts";
import type { AccountName } from "./accounts.ts";
import { openScene } from "./build.ts";
import type { Asked, OracleRow } from "./oracle.ts";

const exportRequest = z.strictObject(REQUEST_KEYS);
export type SceneRequest = typeof exportRequest;

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

/** Writes files of an account of the scene as `export` does, at a time; returns a reader of their texts. */
export async function writeScene(
  name: AccountName,
  request: z.input<typeof exportRequest>,
  { nowMs, folder }: { nowMs: number; folder: string },
): Promise<(file: string) => string> {
  const settings = openScene().settingsOf(name);
  const source = sourceOf(settings);
  const output = folderOutput(folder);
  const checked = exportRequest.parse(request);
  check(checked, { source: source.can, output: output.can }, AS_WRITTEN);
  const ask = resolve(checked, { nowMs, timezone: settings.timezone });
  const clock = { now: () => nowMs, sleep: () => Promise.resolve() };
  await produce(ask, source, output, { account: name, clock });
  return (file) => readFileSync(join(folder, file), "utf8");
}
