import { join, relative } from "node:path";
import { EXIT, UsageError, worstCode } from "../base/errors.ts";
import { formatQuantity } from "../base/text/quantity-text.ts";
import { loadSettings } from "../config/load-settings.ts";
import type { ExportRequest } from "../config/request/export-request.ts";
import { OVERVIEW_FILE, OVERVIEW_FOLDER } from "../config/request/option-values.ts";
import { DEFAULT_STRETCH } from "../config/request/resolve.ts";
import { readLetterhead } from "../export/letterhead/letterhead.ts";
import { folderOutput } from "../export/output/folder.ts";
import { exitCodeOf } from "../export/statements/statements.ts";
import { toOverviewPage } from "../operate/overview/overview-page.ts";
import { writeOverviewSheet } from "../operate/overview/overview-sheet.ts";
import { OVERVIEW_FIGURES, readOverview } from "../operate/overview/read-overview.ts";
import { commitAccounts, MERGED_ORIGIN } from "../reports/produce/merge-accounts.ts";
import { sourceOf, WAREHOUSE_CAN } from "../reports/produce/warehouse-source.ts";
import { accountsOf, configurationOf } from "./chosen-accounts.ts";
import type { Context } from "./context.ts";
import { folderOfAll } from "./export-merged.ts";
import { note, type Result } from "./frame.ts";
import { assertPossible, type OutletFlags, toAsk } from "./request-flags.ts";
import { attributionProgress } from "./terminal/progress.ts";
import { linesOf, quietDoubts, SEE_MANIFEST, toJson } from "./terminal/statement-lines.ts";

/** Runs `calltally report --overview`: a page and a workbook with a row for each account. */
export async function reportOverview(
  context: Context,
  { range = { last: DEFAULT_STRETCH }, compare = "previous", ...others }: ExportRequest,
  flags: OutletFlags,
): Promise<Result> {
  const { out, replace } = flags;
  const request: ExportRequest = { ...others, range, compare, by: [] };
  const can = { source: WAREHOUSE_CAN, output: { manyFiles: false, remembers: true, mergesAccounts: true } };
  assertPossible(request, flags, can.output);
  const { signal } = context;
  const { file, shared } = configurationOf(context);
  const accounts = accountsOf(context, { isFolderShared: true }).flatMap(({ name, sources }) =>
    name === undefined ? [] : [{ name, sources }],
  );
  if (file === undefined || accounts.length === 0)
    throw new UsageError("--overview needs accounts, but no calltally.yaml names any", {
      hint: "Leave it out, for the page of the only account.",
    });
  const general = loadSettings(shared);
  const letterhead = readLetterhead(general, undefined);
  // What no account could be asked is refused, before each shows its own errors.
  toAsk(request, can, general.timezone);
  const folder = folderOfAll(context, out, join("data/exports", OVERVIEW_FOLDER));
  const toAccountAsk = ({ name, sources }: (typeof accounts)[number]) => {
    const settings = loadSettings(sources);
    const asked = toAsk(request, can, settings.timezone);
    return {
      account: name,
      source: sourceOf(settings),
      ask: {
        ...asked,
        columns: OVERVIEW_FIGURES,
        spend: asked.spend || ("if any" as const),
        outcomes: asked.outcomes || ("if any" as const),
      },
      onAttributed: attributionProgress(context, (text) => note(context, text)),
    };
  };
  const overview = await readOverview(accounts, toAccountAsk, { file, nowMs: Date.now(), signal });
  const { manifest, rows } = overview;
  const output = folderOutput(folder, { replace, signal });
  await using outlet = await output.open(MERGED_ORIGIN);
  const page = await toOverviewPage(overview, letterhead, output.folder);
  const described = { contents: "overview", rows: rows.length };
  manifest.files.push({ ...described, ...(await outlet.write(OVERVIEW_FILE, [page], "shared")) });
  manifest.files.push(await writeOverviewSheet(overview, async (...given) => outlet.write(...given)));
  await commitAccounts(outlet, manifest, accounts.map(toAccountAsk));
  const lacking = rows.filter(({ own }) => own === undefined);
  const { statements } = manifest;
  return {
    data: toJson({ folder: output.folder, manifest }),
    summary: [
      ...manifest.files.map(
        (each) =>
          `${relative(context.folder, join(output.folder, each.file))}  ${formatQuantity(rows.length, "account")}`,
      ),
      ...linesOf(statements, SEE_MANIFEST),
    ].join("\n"),
    errors: [
      ...lacking.map(({ account, problems }) => `${account}: ${problems[0] ?? "cannot be read"}`),
      ...quietDoubts(context, statements),
    ],
    exit: worstCode([exitCodeOf(statements), lacking.length > 0 ? EXIT.unverified : EXIT.done]),
  };
}
