import { inArray } from "drizzle-orm";
import { UsageError } from "../../base/errors.ts";
import { toNational } from "../../calls/attribution/mask-numbers.ts";
import {
  isNorthAmerican,
  type PhoneNumber,
  readingsOf,
  readPhoneNumbers,
} from "../../calls/phone-numbers.ts";
import { openCallerDigests } from "../calls/caller-hash.ts";
import { callers } from "../calls/callers.ts";
import { openForgotten } from "../calls/forgotten-callers.ts";
import type { Reader } from "../warehouse.ts";
import { readHomeCode } from "./home-code.ts";

export interface FoundCallers {
  /** Their ids in `callers`. */
  ids: number[];
  /** The country code that the number was read with, because it has none. */
  assumedCode: string | undefined;
  /** Whether it has no country code, and none could be assumed. */
  isOpen: boolean;
}

interface FindOptions {
  /** Digits before numbers that are written without a country code. @default that of nearly all callers */
  countryCode?: string | undefined;
  /** How an error refers to the number, which must not get into a log. */
  as: string;
}

/**
 * Finds the callers that a phone number in any spelling may be, also by their digests where numbers are not kept, and those
 * whose number was served without its country code.
 * @throws UsageError for text that is not one phone number, and for a forgotten caller; it does not have the number
 * @throws CalltallyError (exit 7) if the key of the digests is missing
 */
export function findCallers(reader: Reader, text: string, { countryCode, as }: FindOptions): FoundCallers {
  const phone = readNumber(text, as);
  const isNational = phone.prefix === "";
  const home = isNational && isNorthAmerican(phone) ? readHomeCode(reader) : undefined;
  const code = isNational ? (countryCode ?? home) : undefined;
  const numbers = [...new Set(readingsOf(phone, code).flatMap((number) => [number, ...nationalsOf(number)]))];
  const forgotten = openForgotten(reader);
  if (numbers.some((number) => forgotten?.pseudonymOf(number) !== undefined))
    throw new UsageError(`Cannot find calls by ${as}: its caller was forgotten`, {
      hint: "The calls stay, but nothing shows any more whose they are; `calltally privacy log` has when.",
    });
  const digests = openCallerDigests(reader);
  const names = numbers.map((number) => digests?.hash(number) ?? number);
  const rows = reader.db
    .select({ id: callers.caller_id })
    .from(callers)
    .where(inArray(callers.caller, names))
    .all();
  return {
    ids: rows.map(({ id }) => id),
    assumedCode: countryCode === undefined ? code : undefined,
    isOpen: isNational && code === undefined,
  };
}

/** @throws UsageError that says how many numbers the text has */
function readNumber(text: string, as: string): PhoneNumber {
  const [phone, other] = readPhoneNumbers(text);
  if (phone !== undefined && other === undefined) return phone;
  const problem = phone === undefined ? "is not a phone number" : "has several phone numbers";
  throw new UsageError(`Cannot find calls by ${as}: it ${problem}`, {
    hint: 'Write one number, with its country code, in quotes: "+1 512 555 0117".',
  });
}

/** Returns how a service may write a number inside its country. */
function nationalsOf(number: string): string[] {
  const national = toNational(number);
  if (national === null) return [];
  return [number.startsWith("+1") ? `+${national}` : `+0${national}`];
}

/** @param found how the number was read @param as how an error refers to it */
export function noCallsError({ assumedCode, isOpen }: Omit<FoundCallers, "ids">, as: string): UsageError {
  const hint = isOpen
    ? "A number was looked for as it is written: add its country code, as in +1 512 555 0117. If the call is new, run `calltally sync`."
    : assumedCode === undefined
      ? "Run `calltally sync` if the call is new; the API lists only calls with DNI data."
      : `It was read with the country code +${assumedCode}, which nearly all numbers here have: write another one with a plus sign.`;
  return new UsageError(`No call here has ${as}`, { hint });
}
