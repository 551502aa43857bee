import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { attempt, UsageError } from "../../base/errors.ts";
import { readHead, realFile } from "../../base/folder.ts";
import { manifestSchema } from "../../export/output/read-manifest.ts";
import { recordedFilter } from "../../export/record-export.ts";
import { FEATURES } from "../../features/list.ts";
import type { FileKind } from "../../warehouse/file/output-file.ts";
import { readOrigin } from "../../warehouse/origin.ts";
import { hasForgottenSince } from "../../warehouse/privacy-act-table.ts";
import { type FileBasis, fileBasisSchema } from "../../warehouse/runs/basis-schema.ts";
import { readCertificateMark } from "../../warehouse/runs/certificate-table.ts";
import {
  folderOfExport,
  readExportOf,
  readLastRecords,
  readRecordsOf,
} from "../../warehouse/runs/exports.ts";
import { readRun } from "../../warehouse/runs/runs.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { fails, holds, type VerifyCheck } from "./verified.ts";
import { checkText, describeChecked, verifyCertificate } from "./verify-warehouse.ts";

const fileSchema = z.looseObject({ file: z.string(), sha256: z.string(), rows: z.int() });

/** What a manifest says of one account. */
const accountSchema = z.looseObject({
  ...fileBasisSchema.shape,
  certificate: fileBasisSchema.shape.certificate.unwrap().optional(),
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
export async function* verifyFile(path: string, openById: OpenById): AsyncGenerator<VerifyCheck> {
  const text = readFileSync(path, "utf8");
  for (const { readFileBasis } of FEATURES) {
    const basis = await readFileBasis?.(text);
    if (basis !== undefined) return yield* verifyLoneFile(path, basis, openById);
  }
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
  if (one !== undefined) return yield* verifyManifest(path, one, openById);
  if (!text.startsWith(CERTIFICATE_HEAD))
    throw new UsageError(`${path} is neither a certificate, a manifest.json nor a page to explore`, {
      hint: "calltally verify --write FILE writes a certificate; exports write manifest.json next to their files.",
    });
  yield describeChecked(checkText(text));
}

/** Compares a file that needs no manifest, wherever it is now, with what the warehouse recorded of its bytes. */
function* verifyLoneFile(path: string, basis: FileBasis, openById: OpenById): Generator<VerifyCheck> {
  using warehouse = openById(basis.origin.warehouse_id);
  if (warehouse === undefined) return yield unknownWarehouse(basis);
  const exportedAt = readExportOf(warehouse, hash("sha256", readFileSync(path)));
  yield exportedAt === null
    ? fails("file", `${path} is not a file that ${warehouse.path} recorded`)
    : holds("file", `${path} is as it was exported at ${exportedAt}`);
  yield* verifyBasis(warehouse, { ...basis, certificate: basis.certificate ?? undefined });
}

function* verifyMerged(
  path: string,
  { files, accounts }: z.infer<typeof ofSeveral>,
  openById: OpenById,
): Generator<VerifyCheck> {
  for (const { file, sha256 } of files) yield verifyBytes(join(dirname(path), file), file, sha256);
  for (const [account, manifest] of Object.entries(accounts)) {
    using warehouse = openById(manifest.origin.warehouse_id);
    const checked =
      warehouse === undefined
        ? [unknownWarehouse(manifest)]
        : [verifyMergedRecord(findRecords(warehouse, path), files), ...verifyBasis(warehouse, manifest)];
    for (const { name, ...check } of checked) yield { name: `${account}: ${name}`, ...check };
  }
}

/** The bytes of a manifest that is as it was recorded name those of its files. */
function verifyMergedRecord(records: FoundRecords, files: readonly { file: string }[]): VerifyCheck {
  const unknown = files.find(({ file }) => !records.of.has(file));
  if (unknown === undefined) return verifyManifestBytes(records, files);
  return fails("manifest", `${unknown.file} is not in the record of exports of ${records.warehouse}`);
}

function* verifyManifest(path: string, manifest: Manifest, openById: OpenById): Generator<VerifyCheck> {
  using warehouse = openById(manifest.origin.warehouse_id);
  if (warehouse === undefined) return yield unknownWarehouse(manifest);
  yield* verifyRecord(warehouse, path, manifest);
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

type ExportRecord = ReturnType<typeof readLastRecords>[number];

interface FoundRecords {
  /** Path of the warehouse that has them. */
  warehouse: string;
  /** SHA-256 of the manifest's bytes as they are now. */
  sha256: string;
  /** Where they were written, if this folder is a copy. */
  copyOf: string | undefined;
  /** By file, relative to the folder. */
  of: Map<string, ExportRecord>;
}

/** Finds the records of a folder or, if it has none, those of the export with the same manifest. */
function findRecords(warehouse: Reader, path: string): FoundRecords {
  const folder = realFile(dirname(path));
  const sha256 = hash("sha256", readFileSync(path));
  const here = readLastRecords(warehouse, folder);
  const records = here.length > 0 ? here : readRecordsOf(warehouse, sha256);
  const from = here.length > 0 ? folder : records[0] && folderOfExport(records[0].path);
  return {
    warehouse: warehouse.path,
    sha256,
    copyOf: from === folder ? undefined : from,
    of: new Map(records.map((record) => [record.path.slice((from ?? "").length + 1), record])),
  };
}

function verifyManifestBytes({ of, sha256, copyOf }: FoundRecords, files: readonly { file: string }[]) {
  const records = files.flatMap(({ file }) => of.get(file) ?? []);
  const other = records.find((record) => record.manifest_sha256 !== sha256);
  const at = other?.exported_at ?? records[0]?.exported_at;
  if (other !== undefined || records.length === 0)
    return fails("manifest", `it is not the one that was written${at ? ` at ${at}` : ""}`);
  return holds(
    "manifest",
    copyOf === undefined
      ? `it is as it was written at ${at}`
      : `it is as it was written at ${at} to ${copyOf}; exports may have replaced that since`,
  );
}

/** Compares files and manifest with what the warehouse recorded when it wrote them. */
function* verifyRecord(warehouse: Reader, path: string, manifest: Manifest): Generator<VerifyCheck> {
  const { files, restatements, run } = manifest;
  const folder = realFile(dirname(path));
  const records = findRecords(warehouse, path);
  const left = new Map(records.of);
  const exports = new Set<string>();
  const named = [...files, ...(restatements?.file ? [restatements.file] : [])];
  for (const { file, sha256, rows } of named) {
    const record = records.of.get(file);
    left.delete(file);
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
      ? verifyBytes(join(folder, file), file, record.sha256)
      : fails("file", `${file} was recorded at ${record.exported_at} with another ${others.join(", ")}`);
  }
  yield verifyManifestBytes(records, named);
  for (const [file, { sha256, exported_at }] of left) {
    if (exported_at === null || !exports.has(exported_at)) continue;
    const checked = verifyBytes(join(folder, file), file, sha256);
    // `forget` deletes files that name a caller.
    if (!checked.holds && hasForgottenSince(warehouse, exported_at)) continue;
    yield checked.holds
      ? fails("file", `${file} is of this export, and the manifest does not name it`)
      : checked;
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
