import { join, relative } from "node:path";
import { systemClock } from "../clock.ts";
import { settingsOfAccount } from "../config/accounts.ts";
import { EXIT, type ExitCode, UsageError } from "../errors.ts";
import {
  type AccountExport,
  type AccountRollupOptions,
  type AccountsManifest,
  exportAccountsToFolder,
  exportAccountsToStream,
} from "../export/account-rollup.ts";
import { ACCOUNT } from "../export/choices.ts";
import { toExportBasis } from "../export/export-basis.ts";
import { exportFiguresToStream } from "../export/export-figures.ts";
import { describeCaveats } from "../export/manifest.ts";
import { exportToStream } from "../export/write-export.ts";
import { namesOf } from "../rollup/dimensions.ts";
import { attributionProgress } from "./attribution-progress.ts";
import { accountsOf, type Context, configurationOf } from "./context.ts";
import { assertPublished, type EngineAccount, readEngine, toEngineTargets, zoneOf } from "./engine.ts";
import type { Contents, ExportFlags } from "./export-command.ts";
import { assertTogether, toComparison, toFilter, toFormat, toRange } from "./export-flags.ts";
import { formatQuantity } from "./terminal-text.ts";

/** What would need figures of several warehouses to be put together. */
const APART = { total: "--total", fill: "--fill", top: "--top", minCell: "--min-cell" };

/** Runs `calltally export --by account,…`. */
export async function runAccountExport(
  context: Context,
  contents: readonly Contents[] | undefined,
  flags: ExportFlags,
  exit: (code: ExitCode) => void,
): Promise<void> {
  const { by = [], allowEmpty = false } = flags;
  assertForAccounts(contents, flags);
  assertTogether([{ kind: "rollup", dimensions: by.filter((dimension) => dimension !== ACCOUNT) }], flags);
  const format = toFormat(flags);
  if (format.format === "xlsx") {
    throw new UsageError("--format xlsx is for one account: each of its sheets stands on one warehouse", {
      hint: "Choose another format, or leave account out of --by.",
    });
  }
  const write = (accounts: readonly AccountExport[]) =>
    writeAccounts(
      context,
      { accounts, by, format, isEmptyAllowed: allowEmpty, signal: context.signal },
      flags,
      exit,
    );
  if (flags.engine === undefined) return await write(toAccountExports(context, flags));
  toEngineTargets([], flags);
  const asked = { ...flags, out: undefined };
  await readEngine(context, flags.engine, asked, (published) =>
    write(published.map((account) => toPublishedExport(context, account, flags))),
  );
}

async function writeAccounts(
  context: Context,
  options: Omit<AccountRollupOptions, "signal"> & { signal: AbortSignal },
  flags: ExportFlags,
  exit: (code: ExitCode) => void,
): Promise<void> {
  const { out } = flags;
  const { file } = configurationOf(context);
  if (flags.stdout) {
    const manifest = await exportAccountsToStream({ ...options, writeChunk: context.write });
    for (const caveat of caveatsOf(manifest)) context.note(caveat);
    if (hasCaveats(manifest)) exit(EXIT.unverified);
    return;
  }
  const folder = out ?? file?.resolvePath("data/exports") ?? "data/exports";
  const result = await exportAccountsToFolder({ ...options, folder, replace: flags.replace ?? false });
  const { manifest } = result;
  if (flags.json) context.print(JSON.stringify(result));
  else {
    for (const { file: name, rows, sums } of manifest.files) {
      const shown = relative(context.folder, join(result.folder, name));
      context.tell(`${shown}  ${formatQuantity(rows, "row")}, ${formatQuantity(sums?.calls ?? 0, "call")}`);
    }
    for (const [name, { run }] of Object.entries(manifest.accounts)) {
      if (run)
        context.tell(`${name}: from run ${run.run_id}, finished ${run.finished_at}, verdict ${run.verdict}`);
    }
    for (const [name, { published }] of Object.entries(manifest.accounts)) {
      if (published) context.tell(`${name}: read in ${published.to}, published ${published.published_at}`);
    }
    for (const caveat of caveatsOf(manifest)) context.tell(caveat);
    context.tell(manifest.callers);
  }
  if (hasCaveats(manifest)) exit(EXIT.unverified);
}

/** @throws UsageError for what is of one account alone */
function assertForAccounts(contents: readonly Contents[] = [], flags: ExportFlags): void {
  const refused = namesOf(APART).find((flag) => flags[flag] !== undefined);
  if (refused !== undefined) {
    throw new UsageError(`${APART[refused]} is for one account: callers are not merged across accounts`, {
      hint: "Leave it out, or leave account out of --by.",
    });
  }
  if (contents.length > 0) {
    throw new UsageError(`--by with account writes one file; leave out ${contents.join(" ")}`);
  }
}

/** @throws UsageError where there is no file that names accounts */
function toAccountExports(context: Context, flags: ExportFlags): AccountExport[] {
  const { grain, raw = false, spend = false } = flags;
  const { file } = configurationOf(context);
  return accountsOf(context, { ...flags, out: undefined }).map((account) => {
    const { name } = account;
    if (name === undefined || file === undefined) {
      throw new UsageError("--by account needs accounts, and there is no calltally.yaml that names any", {
        hint: "Without accounts, leave account out of --by.",
      });
    }
    const settings = settingsOfAccount(account);
    const { timezone } = settings;
    const compare = toComparison(flags);
    const options = {
      ...toExportBasis(settings),
      range: toRange(flags, timezone, systemClock.now()),
      filter: toFilter(flags),
      grain,
      compare,
      raw,
      spend,
      signal: context.signal,
      onAttributed: attributionProgress(context),
    };
    return { account: name, grain, raw, compare, ask: (rollup) => exportToStream({ ...options, ...rollup }) };
  });
}

function toPublishedExport(context: Context, account: EngineAccount, flags: ExportFlags): AccountExport {
  const { name, source } = account;
  const { grain, spend = false } = flags;
  const timezone = zoneOf(account, flags);
  const compare = toComparison(flags);
  const options = {
    timezone,
    range: toRange(flags, timezone, systemClock.now()),
    filter: toFilter(flags),
    grain,
    compare,
    spend,
    signal: context.signal,
  };
  return {
    account: name,
    grain,
    compare,
    ask: (rollup) => {
      assertPublished(rollup.targets, account);
      return exportFiguresToStream(source, { ...options, ...rollup });
    },
  };
}

function caveatsOf({ accounts }: AccountsManifest): string[] {
  return Object.entries(accounts).flatMap(([name, own]) =>
    describeCaveats(own).map((caveat) => `${name}: ${caveat}`),
  );
}

function hasCaveats({ accounts }: AccountsManifest): boolean {
  return Object.values(accounts).some(({ caveats }) => caveats !== undefined);
}
