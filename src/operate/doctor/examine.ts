import packageJson from "../../../package.json" with { type: "json" };
import { systemClock } from "../../base/clock.ts";
import { EXIT } from "../../base/errors.ts";
import type { Account } from "../../config/accounts.ts";
import { toApiAccess } from "../../config/api-access.ts";
import { inspectSettings, type SettingsInspection } from "../../config/load-settings.ts";
import { SETTINGS } from "../../config/settings.ts";
import type { AttributionPage } from "../../service/api/attribution-client.ts";
import { adviseOnSync, type Check, warn, worstOf } from "./check.ts";
import { type DurationSample, judgeDuration } from "./check-duration.ts";
import {
  checkCertificates,
  checkDisk,
  checkFolders,
  checkModes,
  checkProxies,
  checkVersions,
} from "./check-machine.ts";
import { checkService } from "./check-service.ts";
import { checkFiles, checkSettings } from "./check-settings.ts";
import { checkWarehouse } from "./check-warehouse.ts";

interface Machine extends Pick<Account["sources"], "env" | "folder"> {
  inspected: SettingsInspection;
  sources: Account["sources"];
  /** Without one that fails, requests can be sent. */
  proxies: readonly Check[];
}

/** What needs neither the warehouse nor the service. */
const BEFORE_REQUESTS: readonly ((machine: Machine) => Check | readonly Check[])[] = [
  ({ inspected, sources }) => checkSettings(inspected, sources),
  ({ env }) => checkCertificates(env),
  ({ proxies }) => proxies,
  () => checkVersions(packageJson.version),
  ({ folder, inspected }) => checkModes(folder, inspected.settings.database, secretsOf(inspected)),
  ({ folder, inspected }) => checkDisk(folder, inspected.settings.database),
  ({ folder, inspected: { settings } }) => checkFolders(folder, settings.database, settings.exportDir),
  ({ inspected }) => checkFiles(inspected.settings),
];

/** The files that contain secrets. */
function secretsOf({ entries }: SettingsInspection): string[] {
  const isTokenInDotenv = entries.some(({ env, origin }) => env === SETTINGS.token.env && origin === ".env");
  return [isTokenInDotenv ? ".env" : [], entries.flatMap(({ file }) => file ?? [])].flat();
}

function targetsOf({ baseUrl, publish, heartbeatUrl }: SettingsInspection["settings"]) {
  return [baseUrl, ...(publish.to?.hosts ?? []), heartbeatUrl];
}

/**
 * Checks the settings, this machine, an account's warehouse and its service.
 * @param options.deep also reads the whole file, and recomputes the hash of every call
 */
export async function examine(
  { sources }: Account,
  { env, folder, deep, signal }: Account["sources"] & { deep: boolean; signal: AbortSignal },
): Promise<Check[]> {
  const inspected = inspectSettings(sources);
  const { settings } = inspected;
  const { baseUrl, token, limit, rules } = settings;
  const clock = systemClock;
  const machine: Machine = {
    inspected,
    sources,
    env,
    folder,
    proxies: checkProxies(targetsOf(settings), env),
  };
  const checks = BEFORE_REQUESTS.flatMap((check) => check(machine));
  const warehouse = await checkWarehouse(settings, { folder, deep, nowMs: clock.now(), signal });
  const { samples, notBefore } = warehouse;
  if (notBefore !== undefined) {
    const hint = "Run `calltally doctor` again after that time.";
    checks.push(warn("service", `asked for a pause until ${notBefore}, so no request was sent`, hint));
  } else if (baseUrl !== undefined && token !== undefined && worstOf(machine.proxies) === EXIT.done) {
    const service = await checkService(toApiAccess(settings), { limit, clock, signal });
    checks.push(...service.checks);
    if (samples.length === 0) samples.push(...samplesOf(service.page));
  }
  const canSync = checks.every(({ state }) => state !== "fail");
  checks.push(
    ...warehouse.checks.map((check) => adviseOnSync(check, canSync)),
    judgeDuration(samples, rules.duration_unit),
  );
  return checks;
}

function samplesOf(page: AttributionPage | undefined): DurationSample[] {
  return (page?.rows ?? []).flatMap((row) => ("call" in row ? [row.call] : []));
}
