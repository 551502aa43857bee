import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../base/errors.ts";
import { folderOutput } from "../export/output/folder.ts";
import { memoryOutput, type ReadTable } from "../export/output/memory.ts";
import type { Output } from "../export/output/output.ts";
import { readManifest } from "../export/output/read-manifest.ts";
import { type Made, produce } from "../produce/produce.ts";
import type { Source } from "../produce/source.ts";
import type { ExportRequest } from "../request/export-request.ts";
import { PAGE_FILE, PAGE_FOLDER } from "../request/option-values.ts";
import { resolve } from "../request/resolve.ts";
import type { Dimension } from "../rollup/dimensions.ts";

const DIMENSIONS = ["channel", "campaign"] as const satisfies Dimension[];
const CSV_FILES = DIMENSIONS.map((dimension) => `${dimension}.csv`);

export interface DemoFiles {
  /** The rollups: as files, and as tables to show. */
  made: Made;
  tables: readonly ReadTable[];
  /** Path of the page of charts. */
  page: string;
}

export async function writeDemoFiles(
  folder: string,
  source: Source,
  { timezone, signal }: { timezone: string; signal: AbortSignal },
): Promise<DemoFiles> {
  const make = async (request: ExportRequest, output: Output) =>
    await produce(resolve(request, { nowMs: Date.now(), timezone }), source, output, { signal });
  const request = { contents: [...DIMENSIONS] };
  const made = await make(request, folderOutput(folder, { replace: true }));
  const page = await make({ format: "html" }, folderOutput(join(folder, PAGE_FOLDER), { replace: true }));
  const shown = memoryOutput();
  await make(request, shown);
  return { made, tables: shown.tables, page: join(page.folder ?? "", PAGE_FILE) };
}

/** @throws UsageError if a file that would be replaced exists, and is not as `calltally demo` made it */
export function assertReplaceable(folder: string): void {
  assertOurFiles(folder, CSV_FILES);
  assertOurFiles(join(folder, PAGE_FOLDER), [PAGE_FILE]);
}

function assertOurFiles(folder: string, names: readonly string[]): void {
  const manifest = readManifest(folder);
  const isOurs = manifest?.origin.made_by_demo ?? false;
  if (manifest !== undefined && !isOurs) throw notOurs(join(folder, "manifest.json"));
  for (const name of names) {
    const file = join(folder, name);
    if (!existsSync(file)) continue;
    const made = isOurs ? manifest?.files.find((written) => written.file === name) : undefined;
    if (made?.sha256 !== hash("sha256", readFileSync(file))) throw notOurs(file);
  }
}

export function notOurs(file: string): UsageError {
  return new UsageError(`Cannot run the demo: ${file} is there, and calltally demo did not make it so`, {
    hint: "It was left as it is. Move or remove it, or run the demo in another folder.",
  });
}
