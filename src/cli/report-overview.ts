import { join } from "node:path";
import { EXIT, worstCode } from "../base/errors.ts";
import { formatQuantity } from "../base/text/quantity-text.ts";
import type { NamedAccount } from "../config/accounts.ts";
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
import type { AccountAsk } from "../reports/accounts/ask-accounts.ts";
import { MERGED_CAN, writeMerged } from "../reports/accounts/merged-files.ts";
import { WAREHOUSE_CAN } from "../reports/produce/warehouse-source.ts";
import { accountsOf, configurationOf } from "./chosen-accounts.ts";
import type { Context } from "./context.ts";
import { askOf, assertNamed, folderOfAll } from "./export-merged.ts";
import type { Result } from "./frame.ts";
import { assertPossible, type OutletFlags, toAsk } from "./request-flags.ts";
import { quietDoubts, toJson } from "./terminal/statement-lines.ts";
import { blocksOfStatements, filesBlock, toSummaryText } from "./terminal/summary-lines.ts";

/** Runs `calltally report --overview`: a page and a workbook with a row for each account. */
export async function reportOverview(
  context: Context,
  { range = { last: DEFAULT_STRETCH }, compare = "previous", ...others }: ExportRequest,
  flags: OutletFlags,
): Promise<Result> {
  const { out, replace } = flags;
  const request: ExportRequest = { ...others, range, compare, by: [] };
  assertPossible(request, flags, MERGED_CAN);
  const { signal } = context;
  const { file, shared } = configurationOf(context);
  const accounts = assertNamed(
    context,
    accountsOf(context, { isFolderShared: true }),
    "--overview",
    "Leave it out, for the page of the only account.",
  );
  const general = loadSettings(shared);
  const letterhead = readLetterhead(general, undefined);
  // What no account could be asked is refused, before each shows its own errors.
  toAsk(request, { source: WAREHOUSE_CAN, output: MERGED_CAN }, general.timezone);
  const folder = folderOfAll(context, out, join("data/exports", OVERVIEW_FOLDER));
  const toOverviewAsk = (account: NamedAccount): AccountAsk => {
    const accountAsk = askOf(context, request, account);
    const { ask } = accountAsk;
    const amounts = { spend: ask.spend || "if any", outcomes: ask.outcomes || "if any" } as const;
    return { ...accountAsk, ask: { ...ask, columns: OVERVIEW_FIGURES, ...amounts } };
  };
  const overview = await readOverview(accounts, toOverviewAsk, { file, nowMs: Date.now(), signal });
  const { rows } = overview;
  const output = folderOutput(folder, { replace, signal });
  const figures = rows.flatMap(({ accountFigures }) => accountFigures ?? []);
  const files = await writeMerged(figures, output, async (outlet, { statements }) => {
    const page = await toOverviewPage(overview, { letterhead, statements, folder: output.folder });
    const written = await outlet.write(OVERVIEW_FILE, [page], "shared");
    return [
      { contents: "overview", rows: rows.length, ...written },
      await writeOverviewSheet(overview, async (...file) => outlet.write(...file)),
    ];
  });
  const lacking = rows.filter(({ accountFigures }) => accountFigures === undefined);
  const { statements } = files.manifest;
  const content = formatQuantity(rows.length, "account");
  return {
    data: toJson(files),
    summary: toSummaryText([
      filesBlock(
        files.manifest.files.map(({ file }) => ({ name: file, content, parts: [] })),
        output.folder,
        context.folder,
      ),
      ...blocksOfStatements(statements),
    ]),
    errors: [
      ...lacking.map(({ account, problems }) => `${account}: ${problems[0] ?? "cannot be read"}`),
      ...quietDoubts(context, statements),
    ],
    exit: worstCode([exitCodeOf(statements), lacking.length > 0 ? EXIT.unverified : EXIT.done]),
  };
}
