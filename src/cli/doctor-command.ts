import { Command } from "@commander-js/extra-typings";
import packageJson from "../../package.json" with { type: "json" };
import type { AttributionPage } from "../api/attribution-client.ts";
import { systemClock } from "../clock.ts";
import type { Account } from "../config/accounts.ts";
import { toApiAccess } from "../config/api-access.ts";
import { inspectSettings } from "../config/inspect-settings.ts";
import { SETTINGS } from "../config/settings.ts";
import type { ExitCode } from "../errors.ts";
import { accountsOf, type Context, OPTION } from "./context.ts";
import { type Check, warn, worstOf } from "./doctor/check.ts";
import { type DurationSample, judgeDuration } from "./doctor/check-duration.ts";
import { checkEnvironment } from "./doctor/check-environment.ts";
import { checkDisk, checkFolders, checkModes, checkVersions } from "./doctor/check-machine.ts";
import { checkService } from "./doctor/check-service.ts";
import { checkAliases, checkSettings } from "./doctor/check-settings.ts";
import { checkWarehouse } from "./doctor/check-warehouse.ts";
import { overAccounts } from "./over-accounts.ts";

export function doctorCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("doctor")
    .description(
      "Checks the settings, this machine, the warehouse and the service (at most ten requests), and changes nothing.",
    )
    .option("--deep", "check the whole file for damage, and recompute the hash of every stored call", false)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally doctor --deep")
    .action(async ({ json, ...flags }) => {
      await overAccounts(
        accountsOf(context, flags),
        { context, exit },
        async (scope) => {
          const checks = await examine(scope.context, scope.account, flags.deep);
          const exitCode = worstOf(checks);
          if (json) scope.context.print(JSON.stringify({ exit_code: exitCode, checks }));
          else scope.context.print(describeChecks(checks));
          scope.exit(exitCode);
        },
        { json },
      );
    });
}

async function examine({ env, folder, signal }: Context, account: Account, deep: boolean): Promise<Check[]> {
  const inspected = inspectSettings(account.sources);
  const { settings, tokenFile, found } = inspected;
  const { database, fullEveryHours, baseUrl, token, orgUnitId, limit, rules, keep, publish } = settings;
  const clock = systemClock;
  const isTokenInDotenv = found.some(
    ({ env: name, origin }) => name === SETTINGS.token.env && origin === ".env",
  );
  const secrets = [isTokenInDotenv ? ".env" : undefined, tokenFile].filter((path) => path !== undefined);

  const checks = [
    ...checkSettings(inspected),
    ...checkEnvironment(env),
    checkVersions(packageJson.version),
    ...checkModes(folder, database, secrets),
    checkDisk(folder, database),
    ...checkFolders(folder, database, settings.exportDir),
    ...checkAliases(settings),
  ];
  const nowMs = clock.now();
  const warehouse = await checkWarehouse({
    folder,
    database,
    fullEveryHours,
    baseUrl,
    orgUnitId,
    rules,
    keep,
    publishTo: publish.to?.name,
    deep,
    nowMs,
    signal,
  });
  const { samples, notBefore } = warehouse;
  if (notBefore !== undefined) {
    const hint = "Run `calltally doctor` again after that time.";
    checks.push(warn("service", `asked for a pause until ${notBefore}, so no request was sent`, hint));
  } else if (baseUrl !== undefined && token !== undefined) {
    const service = await checkService({
      api: toApiAccess(settings),
      limit,
      clock,
      signal,
    });
    checks.push(...service.checks);
    if (samples.length === 0) samples.push(...samplesOf(service.page));
  }
  checks.push(...warehouse.checks, judgeDuration(samples, rules.duration_unit));
  return checks;
}

function samplesOf(page: AttributionPage | undefined): DurationSample[] {
  return (page?.rows ?? []).flatMap((row) => ("call" in row ? [row.call] : []));
}

/** One line a check, what to do below it, and a last line that counts them. */
function describeChecks(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, state, message, hint }) => {
    const line = `${state.padEnd(4)}  ${name.padEnd(width)}  ${message}`;
    return state === "ok" || hint === undefined ? [line] : [line, `${" ".repeat(8 + width)}${hint}`];
  });
  const count = (state: Check["state"]) => checks.filter((check) => check.state === state).length;
  return [...lines, "", `${count("ok")} ok, ${count("warn")} warn, ${count("fail")} fail`].join("\n");
}
