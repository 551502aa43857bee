import { UsageError } from "../../base/errors.ts";
import { toPrintable } from "../../base/text/printable.ts";
import { type PhoneNumber, readPhoneNumbers, toInternational } from "../../calls/phone-numbers.ts";
import { readNumbersFile } from "../../config/files/callers-file.ts";
import type { Forgettable } from "./forget-callers.ts";

/** A caller to forget, and how an error refers to it without naming it. */
export type NamedCaller = Forgettable & { as: string };

interface WhomOptions {
  file?: string | undefined;
  hashes: readonly string[];
  /** Digits before numbers that are written without a country code. */
  countryCode?: string | undefined;
}

/** @throws UsageError that names the position of the problem, not the number, which must not get into a log */
export function parseWhom(
  numbers: readonly string[],
  { file, hashes, countryCode }: WhomOptions,
): NamedCaller[] {
  const byHash = hashes.map(parseHash);
  const byNumber = numbers.flatMap((text, index) => {
    const as = numbers.length === 1 ? "the number" : `number ${index + 1}`;
    const named = readPhoneNumbers(text).map((phone) => toCaller(phone, as, countryCode));
    if (named.length > 0) return named;
    throw notNumberError(as);
  });
  const inFile = file === undefined ? [] : readNumbersFile(file, "--file");
  const ofFile = inFile.map(({ line, ...phone }) => toCaller(phone, `line ${line} of ${file}`, countryCode));
  const whom = [...byNumber, ...ofFile, ...byHash];
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

function toCaller(phone: PhoneNumber, as: string, countryCode: string | undefined): NamedCaller {
  const caller = toInternational(phone, countryCode);
  if (caller !== undefined) return { caller, as };
  if (countryCode === undefined) throw notNumberError(as);
  throw new UsageError(
    `Cannot forget ${as}: it is not a number of the country code ${countryCode}, or may already begin with it`,
    { hint: "Write it with a plus sign: +1 202 555 0199." },
  );
}

function notNumberError(as: string): UsageError {
  return new UsageError(`Cannot forget ${as}: it is not a phone number with its country code`, {
    hint: "Write it as +1 202 555 0199, or pass --country-code.",
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
