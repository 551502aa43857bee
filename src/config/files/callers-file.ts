import { existsSync, readFileSync } from "node:fs";
import { toPhoneDigits } from "../../attribution/call-text.ts";
import { UsageError } from "../../base/errors.ts";
import { adviseOn, reasonOf } from "../../base/file-access.ts";
import { PHONE_NUMBER } from "../../base/phone-number.ts";

const HINT =
  "Write one number per line, with its country code, such as +1 512 555 0117; text after a # is a comment.";

/** @throws UsageError that names the file and the line, but not its content */
export function readCallersFile(file: string, option = "--exclude-callers"): string[] {
  // A number given in place of a file must not get into a log.
  if (PHONE_NUMBER.test(toPhoneDigits(file)) && !existsSync(file)) {
    throw new UsageError(`Cannot use ${option}: it takes a file of phone numbers, not a phone number`, {
      hint: HINT,
    });
  }
  return readText(file, option)
    .split(/\r?\n/)
    .flatMap((line, index) => {
      const number = toPhoneDigits(line.replace(/#.*/, ""));
      if (number === "") return [];
      if (PHONE_NUMBER.test(number)) return [number];
      throw new UsageError(`Cannot use ${option} ${file}: line ${index + 1} is not a phone number`, {
        hint: HINT,
      });
    });
}

function readText(file: string, option: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new UsageError(`Cannot read ${file} of ${option}: ${reasonOf(cause)}`, { hint: adviseOn(cause) });
  }
}
