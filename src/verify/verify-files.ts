import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { attempt, UsageError } from "../base/errors.ts";
import { readHead, realFile } from "../base/folder.ts";
import { fingerprintOf } from "../export/manifest.ts";
import { manifestSchema } from "../export/output/read-manifest.ts";
import { recordedFilter } from "../export/record-export.ts";
import { BASIS_SHAPE, type PageBasis, readPageBasis } from "../features/explore/read-page.ts";
import { readOrigin } from "../warehouse/origin.ts";
import type { FileKind } from "../warehouse/output-file.ts";
import { hasForgottenSince } from "../warehouse/privacy-act-table.ts";
import { readCertificateMark } from "../warehouse/runs/certificate-table.ts";
import { readExportOf, readLastRecords } from "../warehouse/runs/exports.ts";
import { readRun } from "../warehouse/runs/runs.ts";
import type { Reader } from "../warehouse/warehouse.ts";
import { fails, holds, type VerifyCheck } from "./verified.ts";
import { checkText, describeChecked, verifyCertificate } from "./verify-warehouse.ts";

const fileSchema = z.looseObject({ file: z.string(), sha256: z.string(), rows: z.int() });

/** What a manifest says of one account. */
const accountSchema = z.looseObject({
  ...BASIS_SHAPE,
  certificate: BASIS_SHAPE.certificate.unwrap().optional(),
  filter: z.looseObject({}),
  range: z.looseObject({}),
  fingerprint: z.string(),
});
type AccountManifest = z.infer<typeof accountSchema>;

const ofOne = manifestSchema.extend({
  ...accountSchema.shape,
  files: z.array(fileSchema),
  restatements: z.looseObject({ file: fileSchema.optional() }).optional(),
});
const ofSeveral = manifestSchema.extend({ accounts: z.record(z.string(), accountSchema) });
type Manifest = z.infer<typeof ofOne>;

const CERTIFICATE_HEAD = '{"format":"calltally certificate';

export const CERTIFICATE: FileKind = {
  name: "a certificate",
  isOne: (file) => readHead(file).startsWith(CERTIFICATE_HEAD),
};

/** Opens the warehouse with an id; undefined if no account here has it. */
export type OpenById = (warehouseId: string) => Reader | undefined;

/** Checks a certificate that `verify --write` has written, a manifest with the files next to it, or a page to explore. */
export function* verifyFile(path: string, openById: OpenById): Generator<VerifyCheck> {
  const text = readFileSync(path, "utf8");
  const page = readPageBasis(text);
  if (page !== undefined) return yield* verifyPage(path, page, openById);
  const parsed: unknown = attempt(() => JSON.parse(text));
  const merged = ofSeveral.safeParse(parsed).data;
  const manifest = merged ?? ofOne.safeParse(parsed).data;
  if (manifest?.files.length === 0) {
    throw new UsageError(`Cannot verify ${path}: it names no files`, {
      hint: "Its export has not ended, or was killed. Run the export again.",
    });
  }
  if (merged !== undefined) return yield* verifyMerged(path, merged, openById);
  const one = ofOne.safeParse(parsed).data;
  if (one !== undefined) return yield* verifyManifest(path, one, parsed, openById);
  if (!text.startsWith(CERTIFICATE_HEAD))
    throw new UsageError(`${path} is neither a certificate, a manifest.json nor a page to explore`, {
      hint: "calltally verify --write FILE writes a certificate; exports write manifest.json next to their files.",
    });
  yield describeChecked(checkText(text));
}

/** Compares a page, wherever it is now, with what the warehouse recorded of its bytes. */
function* verifyPage(path: string, page: PageBasis, openById: OpenById): Generator<VerifyCheck> {
  using warehouse = openById(page.origin.warehouse_id);
  if (warehouse === undefined) return yield unknownWarehouse(page);
  const exportedAt = readExportOf(warehouse, hash("sha256", readFileSync(path)));
  yield exportedAt === null
    ? fails("file", `${path} is not a file that ${warehouse.path} recorded`)
    : holds("file", `${path} is as it was exported at ${exportedAt}`);
  yield* verifyBasis(warehouse, { ...page, certificate: page.certificate ?? undefined });
}

function* verifyMerged(
  path: string,
  { files, accounts }: z.infer<typeof ofSeveral>,
  openById: OpenById,
): Generator<VerifyCheck> {
  for (const { file, sha256 } of files) yield verifyBytes(join(dirname(path), file), file, sha256);
  for (const [account, manifest] of Object.entries(accounts)) {
    using warehouse = openById(manifest.origin.warehouse_id);
    const checked = warehouse ? verifyBasis(warehouse, manifest) : [unknownWarehouse(manifest)];
    for (const { name, ...found } of checked) yield { name: `${account}: ${name}`, ...found };
  }
}

function* verifyManifest(
  path: string,
  manifest: Manifest,
  parsed: unknown,
  openById: OpenById,
): Generator<VerifyCheck> {
  using warehouse = openById(manifest.origin.warehouse_id);
  if (warehouse === undefined) return yield unknownWarehouse(manifest);
  yield* verifyRecord(warehouse, realFile(dirname(path)), manifest);
  // Of the members in their order, which Zod changes.
  const asWritten = z.custom<Parameters<typeof fingerprintOf>[0]>().parse(parsed);
  yield manifest.fingerprint === fingerprintOf(asWritten)
    ? holds("manifest", "its fingerprint is that of its contents")
    : fails("manifest", "its fingerprint is that of other contents");
  yield* verifyBasis(warehouse, manifest);
}

function unknownWarehouse({ origin }: Pick<AccountManifest, "origin">): VerifyCheck {
  return fails(
    "warehouse",
    `${origin.warehouse_id} is the warehouse of no account here: name its file with --database`,
  );
}

function verifyBytes(path: string, file: string, sha256: string): VerifyCheck {
  const bytes = attempt(() => readFileSync(path));
  if (bytes === undefined) return fails("file", `${file} is missing`);
  return sha256 === hash("sha256", bytes)
    ? holds("file", `${file} is as it was written`)
    : fails("file", `${file} is not the one that was written`);
}

/** Compares files and manifest with what the warehouse recorded when it wrote them. */
function* verifyRecord(warehouse: Reader, folder: string, manifest: Manifest): Generator<VerifyCheck> {
  const { files, restatements, run } = manifest;
  const records = new Map(readLastRecords(warehouse, folder).map((record) => [record.path, record]));
  const exports = new Set<string>();
  for (const { file, sha256, rows } of [...files, ...(restatements?.file ? [restatements.file] : [])]) {
    const record = records.get(join(folder, file));
    records.delete(join(folder, file));
    if (record?.exported_at == null) {
      yield fails("file", `${file} is not in the record of exports of ${warehouse.path}`);
      continue;
    }
    exports.add(record.exported_at);
    const others = [
      record.sha256 !== sha256 && "hash",
      record.rows !== rows && "number of rows",
      record.run_id !== (run?.run_id ?? null) && "run",
      record.filter !== recordedFilter(manifest) && "filter or range",
    ].filter((what) => what !== false);
    yield others.length === 0
      ? verifyBytes(record.path, file, record.sha256)
      : fails("file", `${file} was recorded at ${record.exported_at} with another ${others.join(", ")}`);
  }
  for (const { path, sha256, exported_at } of records.values()) {
    if (exported_at === null || !exports.has(exported_at)) continue;
    const file = path.slice(folder.length + 1);
    const found = verifyBytes(path, file, sha256);
    // `forget` deletes files that name a caller.
    if (!found.holds && hasForgottenSince(warehouse, exported_at)) continue;
    yield found.holds ? fails("file", `${file} is of this export, and the manifest does not name it`) : found;
  }
}

/** Compares the run and the certificate with those of the warehouse. */
function* verifyBasis(
  warehouse: Reader,
  { run, certificate }: Pick<AccountManifest, "run" | "certificate">,
): Generator<VerifyCheck> {
  const stored = run && readRun(warehouse, run.run_id);
  if (run !== null && (stored?.verdict !== run.verdict || stored?.finished_at !== run.finished_at))
    yield fails("basis", `run ${run.run_id} is not the one in ${warehouse.path}`);
  if (certificate === undefined)
    return yield fails("certificate", "none is named: the figures rest on no proven pass");
  const mark = readCertificateMark(warehouse, run?.run_id);
  if (!isDeepStrictEqual(mark, certificate)) {
    const rests = mark === undefined ? "" : `; its run rests on ${mark.sha256}, of run ${mark.run_id}`;
    return yield fails("certificate", `${certificate.sha256} is not kept in ${warehouse.path}${rests}`);
  }
  yield* verifyCertificate(warehouse, certificate);
}

export function isOf(warehouse: Reader, warehouseId: string): boolean {
  return readOrigin(warehouse).warehouse_id === warehouseId;
}
