import { systemClock } from "../../base/clock.ts";
import type { Manifest, ManifestFile } from "../../export/manifest.ts";
import { SEVERAL_ACCOUNTS } from "../../export/output/folder.ts";
import type { Outlet, Output } from "../../export/output/output.ts";
import { commitAll, commitOf } from "../../export/record-export.ts";
import { mergeStatements, type Statement } from "../../export/statements/statements.ts";
import type { Warehouse } from "../../warehouse/warehouse.ts";
import type { AccountFigures } from "./ask-accounts.ts";

export interface AccountsManifest {
  /** Not the id of any single warehouse. */
  origin: { warehouse_id: string; base_url: null };
  /** Those of all accounts. */
  statements: readonly Statement[];
  accounts: Record<string, Omit<Manifest, "files" | "statements">>;
  files: ManifestFile[];
}

export interface MergedFiles {
  /** Absolute path. */
  folder?: string;
  manifest: AccountsManifest;
}

/** What an output of several accounts can have. */
export const MERGED_CAN = { manyFiles: false, remembers: true, mergesAccounts: true };

const ORIGIN = { warehouse_id: SEVERAL_ACCOUNTS, base_url: null } as const;

/**
 * Writes files with the figures of several accounts and their manifest, and records them in the warehouse of each
 * account.
 * @param write writes the files, and returns their entries in the manifest
 */
export async function writeMerged(
  figures: readonly AccountFigures[],
  output: Output,
  write: (outlet: Outlet, manifest: AccountsManifest) => Promise<ManifestFile[]>,
): Promise<MergedFiles> {
  const manifest = mergeManifests(figures);
  const { folder } = output;
  await using outlet = await output.open({ ...ORIGIN, org_unit_id: null, account: null });
  manifest.files.push(...(await write(outlet, manifest)));
  const now = new Date(systemClock.now()).toISOString();
  const writers: Warehouse[] = [];
  try {
    await outlet.commit(manifest, (files, manifestSha256) => {
      const commits = figures.flatMap(({ manifest: ofAccount, log, openWriter }) => {
        const writer = openWriter?.();
        if (writer === undefined) return [];
        writers.push(writer);
        const recorded = { ...ofAccount, files: manifest.files };
        return [commitOf(writer, [log], { files, manifest: recorded, manifestSha256, now })];
      });
      return commitAll(commits);
    });
  } finally {
    for (const writer of writers) writer[Symbol.dispose]();
  }
  return { ...(folder && { folder }), manifest };
}

/** Returns the zone of the local times in a file of several accounts: the one that they share, otherwise UTC. */
export function zoneOfAll(zones: readonly string[]): string {
  const [zone = "UTC", ...others] = new Set(zones);
  return others.length === 0 ? zone : "UTC";
}

function mergeManifests(figures: readonly AccountFigures[]): AccountsManifest {
  return {
    origin: { ...ORIGIN },
    statements: mergeStatements(
      new Map(figures.map(({ account, manifest: { statements } }) => [account, statements])),
      figures.flatMap(({ table }) => table.columns.map(({ name }) => name)),
    ),
    accounts: Object.fromEntries(
      figures.map(({ account, manifest: { files: _, statements: __, ...basis } }) => [account, basis]),
    ),
    files: [],
  };
}
