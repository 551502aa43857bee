import type { Account, Configuration } from "./accounts.ts";
import type { CalltallyFile } from "./calltally-file.ts";
import { type FoundSetting, inspectSettings } from "./inspect-settings.ts";
import { SETTINGS } from "./settings.ts";

/** A setting as it is in force. */
export interface ShownSetting {
  setting: string;
  /** Null where it is not set; of a token its file and length alone. */
  value: string | null;
  /** Where it comes from: a flag, the environment, .env, a place in calltally.yaml, or the default. */
  from: string;
  /** Why it cannot be used, if it cannot. */
  problem?: string;
}

export interface ShownConfig {
  /** Path of `calltally.yaml`; null where there is none. */
  file: string | null;
  /** Keys that are of no account. */
  keys: readonly ShownSetting[];
  accounts: readonly { account: string | null; settings: readonly ShownSetting[] }[];
  reports: NonNullable<CalltallyFile["content"]["reports"]>;
}

/** Returns which settings are in force, and where each comes from. */
export function showConfig({ file, hostRequests }: Configuration, accounts: readonly Account[]): ShownConfig {
  return {
    file: file?.path ?? null,
    keys: file === undefined ? [] : keysOf(file, hostRequests),
    accounts: accounts.map(({ name, sources, heartbeatFile }) => ({
      account: name ?? null,
      settings: inspectSettings(sources).found.map((setting) =>
        setting.env === SETTINGS.heartbeatUrl.env && heartbeatFile !== undefined
          ? { setting: setting.env, value: "set, in a file", from: positionIn(heartbeatFile.place) }
          : toShown(setting),
      ),
    })),
    reports: file?.content.reports ?? {},
  };
}

/** What stands at the top of the file alone, without what the files of secrets hold. */
function keysOf({ content, placeOf }: CalltallyFile, hostRequests: number): ShownSetting[] {
  const { host_requests, smtp_url_file, doorbell } = content;
  const inFile = (key: string) => positionIn(placeOf([key]));
  return [
    ...(Number.isFinite(hostRequests)
      ? [
          {
            setting: "host_requests",
            value: String(hostRequests),
            from: host_requests === undefined ? "default" : inFile("host_requests"),
          },
        ]
      : []),
    ...(smtp_url_file === undefined
      ? []
      : [{ setting: "smtp_url_file", value: "set, in a file", from: inFile("smtp_url_file") }]),
    ...(doorbell === undefined
      ? []
      : [
          {
            setting: "doorbell",
            value: doorbell.account === undefined ? "of each account" : `of ${doorbell.account}`,
            from: inFile("doorbell"),
          },
        ]),
  ];
}

function toShown({ env, origin, place, shown, problem }: FoundSetting): ShownSetting {
  return {
    setting: env,
    value: shown ?? null,
    from: place === undefined ? origin : positionIn(place),
    ...(problem && { problem: problem.message }),
  };
}

/** calltally.yaml:12:5: accounts.acme.timezone → calltally.yaml:12:5 */
function positionIn(place: string): string {
  return place.replace(/: .*/, "");
}
