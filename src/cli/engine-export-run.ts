import { join } from "node:path";
import { systemClock } from "../clock.ts";
import { EXIT, type ExitCode, UsageError } from "../errors.ts";
import {
  exportFiguresToFolder,
  exportFiguresToStream,
  type FigureExportOptions,
} from "../export/export-figures.ts";
import type { Context } from "./context.ts";
import { assertPublished, type EngineAccount, readEngine, toEngineTargets, zoneOf } from "./engine.ts";
import type { Contents, ExportFlags } from "./export-command.ts";
import {
  assertOutput,
  assertTogether,
  type GivenFlags,
  toComparison,
  toFilter,
  toFormat,
  toRange,
  toTargets,
} from "./export-flags.ts";
import { describeExport, noteRemarks } from "./export-run.ts";
import type { ReportFlags } from "./report-command.ts";
import { REPORT_FOLDER } from "./report-defaults.ts";
import { REPORT_TARGET, reportScope } from "./report-run.ts";

type Exit = (code: ExitCode) => void;

/** Runs `calltally export --engine`. */
export async function runEngineExport(
  context: Context,
  engine: string,
  { contents = [], flags }: { contents: readonly Contents[] | undefined; flags: ExportFlags },
  exit: Exit,
): Promise<void> {
  const asked = toTargets(contents, flags);
  assertTogether(asked, flags);
  const targets = toEngineTargets(asked, flags);
  const isDefault = contents.length === 0 && flags.by === undefined;
  const { grain, fill = false, total = false, spend = false, top, minCell } = flags;
  await write(context, engine, flags, exit, (account) => {
    const timezone = zoneOf(account, flags);
    // By default there is what can be read.
    const shown = targets.filter(
      (target) =>
        !(
          isDefault &&
          !account.isPersonal &&
          target.kind === "rollup" &&
          target.dimensions.includes("gclid")
        ),
    );
    assertPublished(shown, account);
    return {
      targets: shown,
      timezone,
      range: toRange(flags, timezone, systemClock.now()),
      grain,
      compare: toComparison(flags),
      fill,
      total,
      spend,
      top,
      minCell,
      format: toFormat(flags),
    };
  });
}

/** Runs `calltally report --engine`. */
export async function runEngineReport(
  context: Context,
  engine: string,
  flags: ReportFlags,
  exit: Exit,
): Promise<void> {
  assertOutput(flags);
  await write(
    context,
    engine,
    flags,
    exit,
    (account) => {
      const timezone = zoneOf(account, flags);
      return {
        targets: [REPORT_TARGET],
        timezone,
        ...reportScope(flags, timezone),
        spend: flags.spend ?? "if any",
      };
    },
    REPORT_FOLDER,
  );
}

/** @param below the folder that the files are in where `--out` names none, within that of exports */
async function write(
  context: Context,
  engine: string,
  flags: Pick<GivenFlags, "stdout" | "json" | "out" | "replace" | "allowEmpty" | "database" | "timezone"> &
    Parameters<typeof toFilter>[0],
  exit: Exit,
  toOptions: (account: EngineAccount) => FigureExportOptions,
  below = "",
): Promise<void> {
  let hasWritten = false;
  await readEngine(
    context,
    engine,
    flags,
    async (accounts) => {
      const account = onlyOf(accounts);
      const { source, settings } = account;
      const options = {
        ...toOptions(account),
        filter: toFilter(flags),
        isEmptyAllowed: flags.allowEmpty,
        signal: context.signal,
      };
      if (flags.stdout) {
        const writeChunk = async (chunk: Buffer) => {
          hasWritten = true;
          await context.write(chunk);
        };
        const written = await exportFiguresToStream(source, { ...options, writeChunk });
        noteRemarks(context, written);
        if (written.manifest.caveats) exit(EXIT.unverified);
        return;
      }
      const folder = flags.out === undefined ? join(settings.exportDir, below) : settings.exportDir;
      const result = await exportFiguresToFolder(source, { ...options, folder, replace: flags.replace });
      const { isWarehouseEmpty: _, ...shown } = result;
      if (flags.json) context.print(JSON.stringify(shown));
      else context.tell(describeExport(result, context.folder));
      if (result.manifest.caveats) exit(EXIT.unverified);
    },
    { isFinal: () => hasWritten },
  );
}

/** @throws UsageError where the cluster has several accounts, and none is named */
function onlyOf(accounts: readonly EngineAccount[]): EngineAccount {
  const [account, ...others] = accounts;
  if (account !== undefined && others.length === 0) return account;
  const names = accounts.map(({ name }) => name);
  throw new UsageError(`The cluster has several accounts: ${names.join(", ")}`, {
    hint: `Name one, e.g. --account ${names[0]}, or ask for all with --by account,…`,
  });
}
