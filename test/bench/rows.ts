import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { open } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CallGenerator } from "../../src/sandbox/calls/generate.ts";

/** The calls on a service's disk: their JSON, newest first, separated by commas. */
export interface Rows {
  /** The file; it does not fit into memory at 1,000,000 calls. */
  file: string;
  /** The byte offset of each call in it, and of the end. */
  starts: Float64Array;
}

/** Below the repository, since it is too big for many a /tmp; git ignores node_modules. */
const FOLDER = resolve(import.meta.dirname, "../../node_modules/.cache/calltally-bench");
/** Fixed, so that every machine and every run reads the same bytes: 2.9 kB a call on average. */
const END_MS = Date.parse("2026-11-01T00:00:00.000Z");
const CALLS_A_PAGE = 1000;

/** Makes the rows of that many calls, once for all later benchmarks. */
export async function prepareRows(calls: number): Promise<Rows> {
  const file = join(FOLDER, `${calls}.json`);
  if (!existsSync(file)) await writeRows(calls, file);
  const index = readFileSync(`${file}.index`);
  return { file, starts: new Float64Array(index.buffer, index.byteOffset, index.length / 8) };
}

async function writeRows(calls: number, file: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const generator = new CallGenerator(1, calls, END_MS);
  const starts = new Float64Array(calls + 1);
  await using rows = await open(`${file}.new`, "w");
  for (let from = 0, position = 0; from < calls; from += CALLS_A_PAGE) {
    const chunk: Buffer[] = [];
    for (let place = from; place < Math.min(calls, from + CALLS_A_PAGE); place++) {
      const row = Buffer.from(`${JSON.stringify(generator.callAt(calls - 1 - place))},`);
      chunk.push(row);
      position += row.length;
      starts[place + 1] = position;
    }
    await rows.writeFile(Buffer.concat(chunk));
  }
  await using index = await open(`${file}.index`, "w");
  await index.writeFile(Buffer.from(starts.buffer));
  // Last, since its name shows that both are complete.
  renameSync(`${file}.new`, file);
}
