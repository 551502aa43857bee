import type { Account, Configuration } from "./accounts.ts";
import type { CalltallyFile } from "./calltally-file.ts";
import { type FoundSetting, inspectSettings } from "./load-settings.ts";

interface ShownSetting {
  setting: string;
  /** Null if not set; for a secret only its file and length. */
  value: string | null;
  /** Where it comes from: a flag, the environment, .env, a place in calltally.yaml, or the default. */
  from: string;
  problem?: string;
}

export type ShownConfig = ReturnType<typeof showConfig>;

export function showConfig({ file, hostRequests }: Configuration, accounts: readonly Account[]) {
  return {
    file: file?.path ?? null,
    /** Keys that belong to no account. */
    keys: file === undefined ? [] : keysOf(file, hostRequests),
    accounts: accounts.map(({ name, sources }) => ({
      account: name ?? null,
      settings: inspectSettings(sources).entries.map(toShown),
      recipients: (name !== undefined && file?.content.accounts?.[name]?.recipients) || [],
    })),
    reports: file?.content.reports ?? {},
  };
}

/** Returns the keys that only the file has, without reading files of secrets. */
function keysOf({ content, placeOf }: CalltallyFile, hostRequests: number): ShownSetting[] {
  const { host_requests, smtp_url_file, doorbell } = content;
  const keys = [
    { setting: "host_requests", value: Number.isFinite(hostRequests) ? hostRequests : host_requests },
    { setting: "smtp_url_file", value: smtp_url_file && "set, in a file" },
    { setting: "doorbell", value: doorbell && `of ${doorbell.account ?? "each account"}` },
  ];
  return keys.flatMap(({ setting, value }) =>
    value === undefined
      ? []
      : {
          setting,
          value: String(value),
          from: setting in content ? positionIn(placeOf([setting])) : "default",
        },
  );
}

function toShown({ env, origin, place, shown, problem }: FoundSetting): ShownSetting {
  return {
    setting: env,
    value: shown ?? null,
    from: place === undefined ? origin : positionIn(place),
    ...(problem && { problem: problem.message }),
  };
}

/** calltally.yaml:12:5: accounts.austin.timezone → calltally.yaml:12:5 */
function positionIn(place: string): string {
  return place.replace(/: .*/, "");
}
