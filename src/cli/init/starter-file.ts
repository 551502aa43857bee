import { stringify } from "yaml";
import type { ReportChoice } from "./report-choices.ts";

/** A report to begin with. */
interface StarterReport {
  /** Its name in the file. */
  name: string;
  /** What it is, in a few words. */
  label: string;
  /** What it shows, and when it is made. */
  hint: string;
  /** Its keys in YAML, each with a remark or none. */
  keys: readonly (readonly [key: string, remark?: string])[];
}

const CONTENTS = "contents: [channel, source, campaign]";

export const STARTER_REPORTS: Readonly<Record<Exclude<ReportChoice, "none">, StarterReport>> = {
  "weekly-workbook": {
    name: "weekly",
    label: "Weekly workbook",
    hint: "Excel, four weeks beside the four before, Mondays at 7:00",
    keys: [
      [CONTENTS, "a sheet each"],
      ["range: { last: 4w }", "complete weeks"],
      ["compare: previous", "beside the four before"],
      ["total: true", "a line of totals below each sheet"],
      ["format: xlsx"],
      ['cron: "0 7 * * 1"', "Mondays at 7:00"],
    ],
  },
  "weekly-page": {
    name: "weekly",
    label: "Weekly page",
    hint: "charts for a browser, the same weeks, Mondays at 7:00",
    keys: [
      ["range: { last: 4w }", "complete weeks"],
      ["compare: previous", "beside the four before"],
      ["format: html"],
      ['cron: "0 7 * * 1"', "Mondays at 7:00"],
    ],
  },
  "daily-csv": {
    name: "daily",
    label: "Daily CSV",
    hint: "rows a day for the last 30 days, each day at 6:00",
    keys: [
      [CONTENTS, "a file each"],
      ["range: { last: 30d }", "complete days"],
      ["grain: day", "rows a day"],
      ["format: csv"],
      ['cron: "0 6 * * *"', "each day at 6:00"],
    ],
  },
};

/** What goes into the file; paths are as the file has them, relative to its folder. */
export interface Starter {
  baseUrl: URL;
  timezone: string;
  account: string;
  tokenFile: string;
  report: ReportChoice;
  /** Folder for reports. */
  out: string;
  email: { to: readonly string[]; smtpUrlFile: string } | undefined;
}

/** Returns the `calltally.yaml` to begin with. */
export function toStarterYaml({
  baseUrl,
  timezone,
  account,
  tokenFile,
  report,
  out,
  email,
}: Starter): string {
  const lines = [
    "# Accounts and reports of calltally. After a change: calltally config check",
    "# All that can stand here: calltally config schema --reference",
    "",
    ...remarked([
      [`timezone: ${scalar(timezone)}`, "of the days in figures, and of the schedule"],
      ...(email === undefined
        ? []
        : [[`smtp_url_file: ${scalar(email.smtpUrlFile)}`, "the mail server"] as const]),
    ]),
    "",
    "accounts:",
    `  ${scalar(account)}:`,
    ...remarked([
      [`    base_url: ${scalar(baseUrl.href.replace(/\/$/, ""))}`],
      [`    token_file: ${scalar(tokenFile)}`, "never the token itself"],
    ]),
  ];
  if (report !== "none") {
    const { name, keys } = STARTER_REPORTS[report];
    const folder = `folder: ${scalar(`${out}/{account}/${name}`)}`;
    const all = [...keys, ["fresh: 2h", "else a sync comes first"], [folder]] as const;
    const body = remarked(all).map((line) => `    ${line}`);
    lines.push("", "reports:", `  ${name}:`, ...body);
    if (email !== undefined) lines.push("    deliver:", `      - email: { to: ${flowList(email.to)} }`);
  }
  return `${lines.join("\n")}\n`;
}

/** Remarks of neighbouring lines stand below each other. */
function remarked(lines: readonly (readonly [line: string, remark?: string])[]): string[] {
  const width = Math.max(...lines.map(([line, remark]) => (remark === undefined ? 0 : line.length)));
  return lines.map(([line, remark]) => (remark === undefined ? line : `${line.padEnd(width)}  # ${remark}`));
}

/** Quoted where YAML would read it as something else. */
function scalar(text: string): string {
  return stringify(text, { lineWidth: 0 }).trimEnd();
}

function flowList(texts: readonly string[]): string {
  return stringify(texts, { collectionStyle: "flow", flowCollectionPadding: false, lineWidth: 0 }).trimEnd();
}
