import { existsSync } from "node:fs";
import { basename, dirname, relative } from "node:path";
import { z } from "zod";
import { minutesOf } from "../../base/calendar/local-time.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { shellWord } from "../../base/text/shell-word.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { mayHaveChanged, readExportedRollups } from "./exported-rollups.ts";

/** Exported files that one command writes again, and whose figures may have changed since. */
export interface StaleFiles {
  /** Absolute path. */
  folder: string;
  files: string[];
  /** ISO 8601 UTC. */
  exported_at: string;
  /** What to type after `calltally`, without folder and account. */
  command: string;
  /** IANA zone of its days. */
  timezone: string;
}

const questionSchema = z.object({ timezone: z.string() });

/**
 * Finds the files that are still there and were not compared since calls in their days, costs or the rules changed.
 * @param areRulesOther whether the facts still follow other rules than the settings
 */
export function findStaleFiles(reader: Reader, areRulesOther: boolean): StaleFiles[] {
  const byCommand = new Map<string, StaleFiles>();
  for (const rollup of readExportedRollups(reader)) {
    const { path, command, exported_at } = rollup;
    const { timezone } = questionSchema.parse(JSON.parse(rollup.question));
    if (!existsSync(path) || !(areRulesOther || mayHaveChanged(reader, rollup, timezone))) continue;
    const folder = dirname(path);
    const key = JSON.stringify([folder, command, timezone]);
    const stale = byCommand.get(key) ?? { folder, files: [], exported_at, command, timezone };
    if (!stale.files.includes(basename(path))) stale.files.push(basename(path));
    if (exported_at < stale.exported_at) stale.exported_at = exported_at;
    byCommand.set(key, stale);
  }
  return [...byCommand.values()];
}

interface Place {
  timezone: string;
  /** Paths are relative to it. */
  workingFolder: string;
  /** The account's name, if there are several. */
  account: string | undefined;
  /** The flag, if it was given. */
  database: string | undefined;
  /** Returns the named report that writes to a folder. */
  reportOf: (folder: string) => string | undefined;
}

/** Names the files, each with the command that writes them again, and so compares them. */
export function describeStaleFiles(stale: readonly StaleFiles[], place: Place): string[] {
  if (stale.length === 0) return [];
  const count = stale.reduce((sum, { files }) => sum + files.length, 0);
  const minuteOf = minutesOf(place.timezone);
  return [
    `${formatQuantity(count, "exported file")} ${count === 1 ? "was" : "were"} not compared since calls, costs or rules changed. To compare, repeat:`,
    ...stale.flatMap((each) => [
      `  ${relative(place.workingFolder, each.folder) || "."}: ${each.files.join(", ")}, exported ${minuteOf(each.exported_at)}`,
      `    ${commandOf(each, place)}`,
    ]),
  ];
}

function commandOf({ folder, command, timezone }: StaleFiles, place: Place): string {
  const flag = (name: string, value: string | undefined) =>
    value === undefined ? "" : ` ${name} ${shellWord(value)}`;
  const of = flag("--account", place.account);
  const report = place.reportOf(folder);
  if (report !== undefined) return `calltally run ${shellWord(report)}${of}`;
  const zone = flag("--timezone", timezone === place.timezone ? undefined : timezone);
  const out = flag("--out", relative(place.workingFolder, folder) || ".");
  return `calltally ${command}${zone}${out}${of}${flag("--database", place.database)}`;
}
