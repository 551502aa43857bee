import { existsSync, readFileSync } from "node:fs";
import { UsageError } from "../../base/errors.ts";
import { adviseOn, reasonOf } from "../../base/file-access.ts";
import { PHONE_NUMBER } from "../../base/text/e164.ts";
import { type PhoneNumber, readPhoneNumbers, toPhoneNumber } from "../../calls/phone-numbers.ts";

const HINT =
  "Write one number per line, with its country code, such as +1 512 555 0117; text after a # is a comment.";

/** @throws UsageError that names the file and the line, but not its content */
export function readCallersFile(file: string, option = "--exclude-callers"): string[] {
  return readNumbersFile(file, option).map(({ line, ...phone }) => {
    if (PHONE_NUMBER.test(phone.number)) return phone.number;
    throw lineError(file, option, line, "is not a phone number");
  });
}

/** Returns the numbers of a file with their lines. @throws UsageError as {@link readCallersFile} does */
export function readNumbersFile(file: string, option: string): (PhoneNumber & { line: number })[] {
  // A number given in place of a file must not get into a log.
  if (toPhoneNumber(file) !== undefined && !existsSync(file)) {
    throw new UsageError(`Cannot use ${option}: it takes a file of phone numbers, not a phone number`, {
      hint: HINT,
    });
  }
  return readText(file, option)
    .split(/\r?\n/)
    .flatMap((text, index) => {
      const content = text.replace(/#.*/, "");
      if (!/[\p{L}\p{N}]/u.test(content)) return [];
      const line = index + 1;
      const [phone, ...others] = readPhoneNumbers(content);
      if (phone === undefined) throw lineError(file, option, line, "is not a phone number");
      if (others.length > 0) throw lineError(file, option, line, "has several phone numbers");
      return [{ ...phone, line }];
    });
}

function lineError(file: string, option: string, line: number, problem: string): UsageError {
  return new UsageError(`Cannot use ${option} ${file}: line ${line} ${problem}`, { hint: HINT });
}

function readText(file: string, option: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new UsageError(`Cannot read ${file} of ${option}: ${reasonOf(cause)}`, { hint: adviseOn(cause) });
  }
}
