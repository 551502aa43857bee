import { toPhoneDigits } from "../attribution/call-text.ts";
import { UsageError } from "../base/errors.ts";
import { PHONE_NUMBER } from "../base/phone-number.ts";
import { toPrintable } from "../base/printable.ts";
import { readCallersFile } from "../config/files/callers-file.ts";
import type { Forgettable } from "./forget-callers.ts";

/** A caller to forget, and how an error refers to it without naming it. */
export type NamedCaller = Forgettable & { as: string };

/** @throws UsageError that names the position of the problem, not the number, which must not get into a log */
export function parseWhom(
  numbers: readonly string[],
  file: string | undefined,
  hashes: readonly string[],
): NamedCaller[] {
  const byHash = hashes.map(parseHash);
  const byNumber = parseNumbers(numbers);
  const inFile = file === undefined ? [] : readCallersFile(file, "--file");
  const named = inFile.map((caller, index) => ({ caller, as: `number ${index + 1} of ${file}` }));
  const whom = [...byNumber, ...named, ...byHash];
  if (whom.length > 0) return whom;
  throw new UsageError("Cannot forget: no number, --file or --caller-hash was given", {
    hint: "`calltally forget --help` shows examples.",
  });
}

export function unknownError(whom: readonly NamedCaller[], unknown: readonly number[]): UsageError {
  const places = unknown.map((index) => whom[index]?.as).join(", ");
  return new UsageError(`Cannot forget ${places}: no data found in the warehouse`, {
    hint: "Nobody was forgotten. Check the country code, or use --allow-empty to block such numbers from now on.",
  });
}

function parseNumbers(numbers: readonly string[]): NamedCaller[] {
  return numbers.map((text, index) => {
    const caller = toPhoneDigits(text);
    const as = numbers.length === 1 ? "the number" : `number ${index + 1}`;
    if (PHONE_NUMBER.test(caller)) return { caller, as };
    throw new UsageError(`Cannot forget ${as}: it is not a phone number with its country code`, {
      hint: "Write it as +1 202 555 0199.",
    });
  });
}

function parseHash(callerHash: string): NamedCaller {
  if (/^[0-9a-f]{64}$/i.test(callerHash))
    return { callerHash: callerHash.toLowerCase(), as: `--caller-hash ${callerHash.slice(0, 8)}…` };
  throw new UsageError(
    `Cannot use --caller-hash ${toPrintable(callerHash.slice(0, 8))}…: must be 64 hexadecimal digits`,
    { hint: "Copy the whole caller_hash from an exported file." },
  );
}
