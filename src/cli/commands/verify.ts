import { Command } from "@commander-js/extra-typings";
import { Draft } from "../../base/draft.ts";
import { attempt, EXIT, UsageError } from "../../base/errors.ts";
import { parseFilePath } from "../../base/text/path-text.ts";
import type { Account } from "../../config/accounts.ts";
import { loadSettings, type Settings } from "../../config/load-settings.ts";
import type { VerifyCheck } from "../../operate/verify/verified.ts";
import { CERTIFICATE, isOf, type OpenById, verifyFile } from "../../operate/verify/verify-files.ts";
import { verifyWarehouse } from "../../operate/verify/verify-warehouse.ts";
import { openReader } from "../../warehouse/file/open.ts";
import { assertOutput } from "../../warehouse/file/output-file.ts";
import { openOwn } from "../../warehouse/file/own-warehouse.ts";
import { readCertificate, readCertificateMark } from "../../warehouse/runs/certificate-table.ts";
import { readLastRunId, readRun } from "../../warehouse/runs/runs.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { accountsOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { type AccountScope, overFiles, show } from "../frame.ts";
import { parser, wholeNumber } from "../parsers.ts";
import { assertReplaces, replacementOf } from "../replacement.ts";

export const command = (context: Context) =>
  new Command("verify")
    .description(
      "Checks, without the network, that the last proven sync was complete by the pages that it kept, that they lead to the calls of today, and that calls and facts are unchanged. Exit code 3 says that something does not hold.",
    )
    .argument(
      "[file]",
      "check this manifest.json with its files, this certificate, or this page to explore",
      parser(parseFilePath),
    )
    .option("--run <id>", "check what this run rests on", wholeNumber())
    .option(
      "--write <file>",
      "write the certificate into a file instead; {account} in its path is replaced by each account's name",
      parser(parseFilePath),
    )
    .option(...OPTION.replace)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      "\nExamples:\n  $ calltally verify\n  $ calltally verify data/exports/manifest.json\n  $ calltally verify --write certificate.jsonl",
    )
    .action(async (file, options) => {
      const { run, write, replace } = options;
      assertReplaces(replace, write);
      if (file === undefined) {
        const paths = write === undefined ? [] : [write];
        return show(context, await overFiles(context, paths, verifyOwn(context, { run, replace })));
      }
      if ((run ?? write) !== undefined)
        throw new UsageError(
          "Cannot use a file with --run or --write: these are for a run of the warehouse",
          {
            hint: "Leave out the file, or the options.",
          },
        );
      show(context, describe(await Array.fromAsync(verifyFile(file, openById(context)))));
    });

const verifyOwn =
  (context: Context, { run, replace }: { run: number | undefined; replace: true | undefined }) =>
  async ({ settings }: AccountScope, [write]: readonly string[]) => {
    using warehouse = openOwn(settings, openReader);
    const mark = chooseMark(warehouse, settings, run);
    if (write !== undefined) {
      using draft = new Draft(
        assertOutput(write, CERTIFICATE, { replacing: replacementOf(context, replace) }),
      );
      draft.write(readCertificate(warehouse, mark.run_id), 0o666);
      draft.replace();
      return {
        data: mark,
        summary: `${write}  certificate of run ${mark.run_id}, SHA-256 ${mark.sha256}`,
      };
    }
    return describe(await Array.fromAsync(verifyWarehouse(warehouse, { mark, signal: context.signal })));
  };

/** Opens the warehouse of a manifest among those of the accounts; one that cannot be opened may be another's. */
function openById(context: Context): OpenById {
  const accounts = accountsOf(context);
  const open = ({ sources }: Account) => openOwn(loadSettings(sources), openReader);
  return (warehouseId) => {
    for (const account of accounts) {
      const warehouse = accounts.length === 1 ? open(account) : attempt(() => open(account));
      if (warehouse && isOf(warehouse, warehouseId)) return warehouse;
      warehouse?.[Symbol.dispose]();
    }
    return undefined;
  };
}

function chooseMark(warehouse: Reader, { database }: Settings, run?: number) {
  if (run !== undefined && readRun(warehouse, run) === undefined) {
    throw new UsageError(`Cannot verify run ${run}: ${database} has no such run`, {
      hint: `Its last run is ${readLastRunId(warehouse)}; \`calltally status --runs 10\` lists the last ten.`,
    });
  }
  const mark = readCertificateMark(warehouse, run);
  if (mark !== undefined) return mark;
  const which = run === undefined ? "" : ` for run ${run}`;
  throw new UsageError(`${database} has no certificate${which}`, {
    hint: "A sync that proves a full pass makes one: run `calltally sync --full`. An old one is kept while files are based on its run.",
  });
}

function describe(checked: readonly VerifyCheck[]) {
  const width = Math.max(...checked.map(({ name }) => name.length));
  const lines = checked.map(
    ({ name, holds, message }) => `${holds ? "ok  " : "FAIL"}  ${name.padEnd(width)}  ${message}`,
  );
  const exit = checked.every(({ holds }) => holds) ? EXIT.done : EXIT.unverified;
  return { data: { exit_code: exit, checks: checked }, text: lines.join("\n"), exit };
}
