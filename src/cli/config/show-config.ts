import type { CalltallyFile } from "../../config/calltally-file.ts";
import { type FoundSetting, inspectSettings } from "../../config/inspect-settings.ts";
import { SETTINGS } from "../../config/settings.ts";
import { accountsOf, type Context, loadConfiguration } from "../context.ts";
import { formatTable } from "../terminal-text.ts";

/** A setting as it is in force. */
interface ShownSetting {
  setting: string;
  /** Null where it is not set; of a token its file and length alone. */
  value: string | null;
  /** Where it comes from: a flag, the environment, .env, a place in calltally.yaml, or the default. */
  from: string;
  /** Why it cannot be used, if it cannot. */
  problem?: string;
}

/** Runs `calltally config show`. */
export async function runConfigShow(context: Context, json: boolean): Promise<void> {
  const { file, hostRequests } = await loadConfiguration(context);
  const shown = accountsOf(context).map(({ name, sources, heartbeatFile }) => ({
    account: name ?? null,
    settings: inspectSettings(sources).found.map((setting) =>
      setting.env === SETTINGS.heartbeatUrl.env && heartbeatFile !== undefined
        ? { setting: setting.env, value: "set, in a file", from: positionIn(heartbeatFile.place) }
        : toShown(setting),
    ),
  }));
  const reports = Object.entries(file?.content.reports ?? {});
  const keys = file === undefined ? [] : keysOf(file, hostRequests);
  if (json) {
    return context.print(
      JSON.stringify({
        file: file?.path ?? null,
        keys,
        accounts: shown,
        reports: Object.fromEntries(reports),
      }),
    );
  }
  context.print(
    file === undefined ? "No calltally.yaml: one account, of the environment" : `File  ${file.path}`,
  );
  if (keys.length > 0) {
    const rows = keys.map(({ setting, from, value }) => [setting, from, value ?? ""]);
    context.print(`\n${formatTable(["key of the file", "from", "value"], rows, "left")}`);
  }
  for (const { account, settings } of shown) {
    const rows = settings
      .filter(({ from }) => from !== "not set")
      .map(({ setting, value, from, problem }) => [setting, from, problem ?? value ?? ""]);
    context.print(
      `\n${account === null ? "" : `${account}\n`}${formatTable(["setting", "from", "value"], rows, "left")}`,
    );
  }
  if (reports.length === 0) return;
  const rows = reports.map(([name, { accounts, cron, format = "csv", deliver = [] }]) => [
    name,
    accounts?.join(", ") ?? "all",
    format,
    cron ?? "by hand",
    deliver.flatMap((way) => Object.keys(way)).join(", "),
  ]);
  context.print(`\n${formatTable(["report", "accounts", "format", "cron", "delivered by"], rows, "left")}`);
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
