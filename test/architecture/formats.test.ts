import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { listFiles, SRC } from "./rooms.ts";

/** The only files that turn numbers and dates into texts for people. */
const FORMATS = ["base/text/locale.ts", "base/text/quantity-text.ts", "base/calendar/period-text.ts"];

/** Files that write digits for programs, or ask Intl for something else. */
const OTHERS: Readonly<Record<string, string>> = {
  "base/text/parse-json.ts": "an error of a limit, in English",
  "config/setting-parsers.ts": "asks for locales",
  "config/time-zone.ts": "asks for zones",
  "export/formats/delimited.ts": "CSV",
  "export/formats/encode-table.ts": "JSON",
  "export/formats/guard.ts": "names of months that Excel takes for dates",
  "export/formats/xlsx/cells.ts": "cells of workbooks, and their widths",
  "cli/init/answers.ts": "asks for the zone of the computer",
  "features/notices/watch-calls.ts": "rounds",
  "features/restatements/find-restatements.ts": "rounds",
  "operate/doctor/check-duration.ts": "rounds",
  "sandbox/jobs.ts": "jobs that are made up",
};

const FORMATTING =
  /\bIntl\.(?:NumberFormat|DateTimeFormat)\b|\.toLocale\w*String\(|\.to(?:Fixed|Precision)\(|\b(?:formatNumber|formatDates?)\(/;

const found = listFiles().filter((file) => FORMATTING.test(readFileSync(join(SRC, file), "utf8")));

it("only one module each formats numbers, money and changes, and dates", () => {
  expect(found.filter((file) => !FORMATS.includes(file) && !(file in OTHERS))).toEqual([]);
});

it("every listed module still formats something", () => {
  expect([...FORMATS, ...Object.keys(OTHERS)].filter((file) => !found.includes(file))).toEqual([]);
});

it("no text has a currency after or before an amount of its own format", () => {
  const joined = listFiles().filter((file) =>
    /format\w+\([^()]*\)\} \$\{[^}]*currency|currency\} \$\{format/i.test(
      readFileSync(join(SRC, file), "utf8"),
    ),
  );
  expect(joined).toEqual([]);
});
