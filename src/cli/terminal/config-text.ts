import { formatQuantity } from "../../base/quantity-text.ts";
import type { ShownConfig } from "../../config/show-config.ts";
import type { CheckedConfig } from "../../doctor/check-config.ts";
import { formatTable } from "./text.ts";

/** Returns the settings in force as tables: those of the file, of each account, and the reports. */
export function describeConfig({ file, keys, accounts, reports }: ShownConfig): string {
  const tables = [
    ...(keys.length > 0 ? [toTable("key of the file", keys)] : []),
    ...accounts.map(({ account, settings }) => {
      const set = settings.filter(({ from }) => from !== "not set");
      return `${account === null ? "" : `${account}\n`}${toTable("setting", set)}`;
    }),
  ];
  const rows = Object.entries(reports).map(([name, { accounts: of, cron, format = "csv", deliver = [] }]) => [
    name,
    of?.join(", ") ?? "all",
    format,
    cron ?? "by hand",
    deliver.flatMap((way) => Object.keys(way)).join(", "),
  ]);
  if (rows.length > 0)
    tables.push(formatTable(["report", "accounts", "format", "cron", "delivered by"], rows, "left"));
  const place = file === null ? "No calltally.yaml: one account, of the environment" : `File  ${file}`;
  return [place, ...tables].join("\n\n");
}

function toTable(head: string, settings: ShownConfig["keys"]): string {
  const rows = settings.map(({ setting, from, value, problem }) => [setting, from, problem ?? value ?? ""]);
  return formatTable([head, "from", "value"], rows, "left");
}

/** Returns the problems, a line each, and a last line that counts them. */
export function describeConfigCheck(
  { accounts, reports, problems }: CheckedConfig,
  name: string | undefined,
) {
  const counts = `${formatQuantity(accounts, "account")}, ${formatQuantity(reports, "report")}`;
  const end = problems.length === 0 ? "no problem" : formatQuantity(problems.length, "problem");
  return [...problems, `${name ?? "Without calltally.yaml"}: ${counts}: ${end}`].join("\n");
}
