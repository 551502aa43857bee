import { join, relative } from "node:path";
import { formatQuantity } from "../../base/quantity-text.ts";
import { describeCaveats } from "../../export/manifest.ts";
import type { AccountsManifest } from "../../produce/merge-accounts.ts";

/** Returns the files of several accounts together, and what each account's figures are based on. */
export function describeMerged(
  { folder = "", manifest }: { folder?: string; manifest: AccountsManifest },
  workingFolder: string,
): string {
  const accounts = Object.entries(manifest.accounts);
  return [
    ...manifest.files.map(({ file, rows, sums }) => {
      const path = relative(workingFolder, join(folder, file));
      return `${path}  ${formatQuantity(rows, "row")}, ${formatQuantity(sums?.calls ?? 0, "call")}`;
    }),
    ...accounts.flatMap(([name, { run }]) =>
      run ? `${name}: from run ${run.run_id}, finished ${run.finished_at}, verdict ${run.verdict}` : [],
    ),
    ...accounts.flatMap(([name, { published }]) =>
      published ? `${name}: read in ${published.to}, published ${published.published_at}` : [],
    ),
    ...caveatsOf(manifest),
    manifest.callers,
  ].join("\n");
}

/** Returns the caveats of each account, in words. */
export function caveatsOf({ accounts }: AccountsManifest): string[] {
  return Object.entries(accounts).flatMap(([name, own]) =>
    describeCaveats(own).map((caveat) => `${name}: ${caveat}`),
  );
}
