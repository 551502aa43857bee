import { join } from "node:path";
import type { Comparison } from "../../../src/base/calendar/grain.ts";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";
import type { Content } from "../../../src/config/request/contents.ts";
import type { PrivateColumn } from "../../../src/config/request/option-values.ts";
import { optionsThat } from "../../../src/config/request/options.ts";
import { type Ask, type ConversionOptions, resolve } from "../../../src/config/request/resolve.ts";
import type { ExportJob } from "../../../src/export/job.ts";
import { folderOutput } from "../../../src/export/output/folder.ts";
import type { Output } from "../../../src/export/output/output.ts";
import { streamOutput } from "../../../src/export/output/stream.ts";
import {
  type ProducedFiles,
  type ProduceOptions,
  produceAndRead,
} from "../../../src/reports/produce/produce.ts";
import {
  type WarehouseSourceOptions,
  warehouseSource,
} from "../../../src/reports/produce/warehouse-source.ts";
import { exports } from "../../../src/warehouse/runs/exports.ts";
import { closedWarehouse, markGone } from "../warehouses/warehouse.ts";

/** A content with its own options. */
export type Target = Content & {
  with?: readonly PrivateColumn[];
  conversion?: Partial<ConversionOptions>;
};

type Optional<T> = { [Key in keyof T]?: T[Key] | undefined };

export interface ExportOptions
  extends WarehouseSourceOptions,
    ProduceOptions,
    Optional<Omit<Ask, "contents" | "with" | "conversion" | "compare">> {
  targets: readonly Target[];
  compare?: Comparison | readonly Comparison[] | undefined;
  /** Reads more at the moment of the files. */
  read?: (job: ExportJob) => Promise<void>;
}

export interface FolderExportOptions extends ExportOptions {
  folder: string;
  /** Whether the files of another warehouse may be replaced. */
  replace?: boolean;
  /** Runs between the writing of the files and their renaming. */
  meanwhile?: () => Promise<unknown> | undefined;
}

/** Writes files as `calltally export` does, without a command line. */
export async function exportToFolder(
  options: FolderExportOptions,
): Promise<ProducedFiles & { folder: string }> {
  const { folder, replace, meanwhile, signal } = options;
  const output = folderOutput(folder, { replace, signal });
  const made = await make(options, meanwhile ? interrupted(output, meanwhile) : output);
  return { ...made, folder: output.folder };
}

export async function exportToStream(
  options: ExportOptions & { writeChunk: (chunk: Buffer) => Promise<void> },
): Promise<ProducedFiles> {
  return await make(options, streamOutput(options.writeChunk));
}

async function make(
  { targets, read, compare, ...options }: ExportOptions,
  output: Output,
): Promise<ProducedFiles> {
  const { timezone = "UTC" } = options;
  const defaults = resolve({}, { nowMs: 0, timezone });
  const conversion = targets.find((target) => target.conversion)?.conversion;
  const asked = [...Object.keys(defaults), ...optionsThat({ isPassed: true })];
  const known = asked.filter((key): key is keyof Ask => key in options);
  const given = Object.fromEntries(
    known.flatMap((key) =>
      options[key as keyof typeof options] === undefined ? [] : [[key, options[key as keyof typeof options]]],
    ),
  );
  const ask: Ask = {
    ...defaults,
    spell: (option) => `--${option}`,
    ...given,
    compare: [compare ?? []].flat().map((kind) => ({ as: kind === "days" ? "previous" : kind, kind })),
    contents: targets,
    with: targets.flatMap((target) => target.with ?? []),
    conversion: { ...defaults.conversion, ...conversion },
  };
  const { files } = await produceAndRead(ask, warehouseSource(options), output, options, async (job) => ({
    value: await read?.(job),
  }));
  return files;
}

function interrupted(output: Output, meanwhile: NonNullable<FolderExportOptions["meanwhile"]>): Output {
  return {
    ...output,
    open: async (origin) => {
      const outlet = await output.open(origin);
      return {
        ...outlet,
        commit: async (...committed) => {
          await meanwhile();
          await outlet.commit(...committed);
        },
      };
    },
  };
}

/** When the only run of a warehouse ended. */
export const RUN_FINISHED_AT = "2026-10-01T00:01:00.000Z";

export const clockAt = (now: number) => ({ now: () => now, sleep: () => Promise.resolve() });

type Options = Partial<FolderExportOptions> & Pick<FolderExportOptions, "targets">;

/** A closed warehouse of these calls, and how to export it: in UTC, by the default rules. */
export function makeWarehouse(calls: readonly Call[]) {
  const { folder: place, database, change, ...closed } = closedWarehouse(calls, { at: RUN_FINISHED_AT });
  const folder = join(place, "exports");
  return {
    ...closed,
    database,
    folder,
    change,
    export: (options: Options): Promise<ProducedFiles & { folder: string }> =>
      exportToFolder({
        database,
        folder,
        timezone: "UTC",
        lookbackHours: 72,
        rules: DEFAULT_RULES,
        clock: clockAt(Date.parse(RUN_FINISHED_AT)),
        ...options,
      }),
    markGone: (callId: number, at: string) => change((warehouse) => markGone(warehouse, [callId], at)),
    execute: (sql: string) => change(({ sqlite }) => sqlite.exec(sql)),
    readExports: () => change(({ db }) => db.select().from(exports).all()),
  };
}
