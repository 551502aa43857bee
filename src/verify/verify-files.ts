import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { attempt, UsageError } from "../base/errors.ts";
import { manifestSchema } from "../export/output/read-manifest.ts";
import { type CertificateMark, readCertificateMarkOf } from "../warehouse/runs/certificate-table.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { fails, holds, type Verified } from "./verified.ts";
import { checkText, describeChecked, verifyCertificate } from "./verify-warehouse.ts";

const certified = manifestSchema.extend({ certificate: z.looseObject({ sha256: z.string() }).optional() });

/** Checks a certificate that `verify --write` has written, or a manifest with the files next to it. */
export function* verifyFile(path: string, openOwn: () => Warehouse): Generator<Verified> {
  const text = readFileSync(path, "utf8");
  const manifest = attempt(() => certified.parse(JSON.parse(text)));
  if (manifest !== undefined) return yield* verifyManifest(path, manifest, openOwn);
  if (!text.startsWith('{"format":"calltally certificate'))
    throw new UsageError(`${path} is neither a certificate nor a manifest.json`, {
      hint: "calltally verify --write FILE writes a certificate; exports write manifest.json next to their files.",
    });
  yield describeChecked(checkText(text));
}

function* verifyManifest(
  path: string,
  { files, restatements, certificate }: z.infer<typeof certified>,
  openOwn: () => Warehouse,
): Generator<Verified> {
  const named = [...files, ...(restatements?.file ? [restatements.file] : [])];
  for (const { file, sha256 } of named) {
    const bytes = attempt(() => readFileSync(join(dirname(path), file)));
    if (bytes === undefined) yield fails("file", `${file} is missing`);
    else if (sha256 !== hash("sha256", bytes)) yield fails("file", `${file} is not the one that was written`);
    else yield holds("file", `${file} is as it was written`);
  }
  if (certificate === undefined)
    return yield fails("certificate", `${basename(path)} names none: its figures rest on no proven pass`);
  using warehouse = openOwn();
  const mark: CertificateMark | undefined = readCertificateMarkOf(warehouse, certificate.sha256);
  if (mark === undefined)
    return yield fails(
      "certificate",
      `${certificate.sha256} is not in ${warehouse.path}: it is not kept any more, or another's`,
    );
  yield* verifyCertificate(warehouse, mark);
}
