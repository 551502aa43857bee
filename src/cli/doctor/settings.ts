import { validate } from "node-cron";
import { type FoundSetting, type inspectSettings, SETTINGS, type Settings } from "../../config.ts";
import { EXIT } from "../../errors.ts";
import { nearest } from "../../nearest.ts";
import { type Check, fail, ok, warn } from "./check.ts";

/** Looks at every setting: where it comes from, and whether it can be used. */
export function checkSettings({ found, unknown, settings }: ReturnType<typeof inspectSettings>): Check[] {
  return [
    ...found.map(checkSetting),
    ...checkCrons(settings),
    ...checkMissing(found),
    ...unknown.map(checkUnknown),
  ];
}

function checkSetting({ env, origin, shown, problem }: FoundSetting): Check {
  const from = FROM[origin];
  if (problem !== undefined) return fail(EXIT.usage, env, `${problem.message} (${from})`, problem.hint);
  return ok(env, shown === undefined ? from : `${shown} (${from})`);
}

const FROM = {
  flag: "from a flag",
  environment: "from the environment",
  ".env": "from .env",
  default: "default",
  "not set": "not set",
};

function checkCrons({ syncCron, exportCron, insightsCron }: Settings): Check[] {
  const crons = [
    { env: SETTINGS.syncCron.env, expression: syncCron },
    { env: SETTINGS.exportCron.env, expression: exportCron },
    { env: SETTINGS.insightsCron.env, expression: insightsCron },
  ];
  return crons
    .filter(({ expression }) => !validate(expression))
    .map(({ env, expression }) =>
      fail(
        EXIT.usage,
        env,
        `${expression} is not a cron expression`,
        "Five fields: minute, hour, day of the month, month, day of the week; e.g. 7 * * * *.",
      ),
    );
}

/** What the API cannot be asked without. */
function checkMissing(found: readonly FoundSetting[]): Check[] {
  const isGiven = (env: string) =>
    found.some((setting) => setting.env === env && setting.origin !== "not set");
  const checks: Check[] = [];
  if (!isGiven(SETTINGS.baseUrl.env)) {
    const hint =
      "Set it to the address of the API, e.g. https://api.example.com; in the environment or in .env.";
    checks.push(fail(EXIT.usage, SETTINGS.baseUrl.env, "nothing can be synced without it", hint));
  }
  if (!isGiven(SETTINGS.tokenFile.env) && !isGiven(SETTINGS.token.env)) {
    const hint = "Set it to a file that holds the bearer token; in the environment or in .env.";
    checks.push(
      fail(EXIT.usage, SETTINGS.tokenFile.env, "there is no token, and nothing can be synced without", hint),
    );
  }
  return checks;
}

function checkUnknown(name: string): Check {
  const known = Object.values(SETTINGS).map((spec) => spec.env);
  const meant = nearest(name, known);
  return warn(
    name,
    "is no setting of calltally's, and has no effect",
    meant === undefined ? "The README lists the settings." : `Did you mean ${meant}?`,
  );
}
