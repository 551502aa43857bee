import { parseDate } from "../../base/calendar/dates.ts";
import { describeError, UsageError } from "../../base/errors.ts";
import { readTextFile } from "./text-file.ts";

const HINT = "Write one day per line, such as 2026-12-25; its name may follow after a comma.";

/** Returns the days in order. @throws UsageError that names the file, the line and the column */
export function readClosedDays(file: string): string[] {
  const name = `the closed days in ${file}`;
  const days = readTextFile(file, name)
    .split(/\r?\n/)
    .flatMap((line, index) => {
      const [first = ""] = line.split(/[,;\t]/);
      const day = first.trim();
      if (line.trim() === "") return [];
      try {
        return [parseDate(day)];
      } catch (error) {
        const column = line.indexOf(day) + 1;
        throw new UsageError(
          `Cannot use ${name}: line ${index + 1}, column ${column}: ${describeError(error)}`,
          {
            hint: HINT,
          },
        );
      }
    });
  return [...new Set(days)].sort();
}
