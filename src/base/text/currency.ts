import { nearest } from "./nearest.ts";

/** Parses an ISO 4217 code in any case. @throws Error with a suggestion */
export function parseCurrency(text: string): string {
  const code = text.toUpperCase();
  if (isCurrency(code)) return code;
  throw new Error(
    `must be an ISO 4217 currency code; did you mean ${nearest(code, [...knownCodes()]) ?? "USD"}?`,
  );
}

export function isCurrency(text: string): boolean {
  return knownCodes().has(text);
}

let codes: ReadonlySet<string> | undefined;

function knownCodes(): ReadonlySet<string> {
  codes ??= new Set(Intl.supportedValuesOf("currency"));
  return codes;
}

export const MICROS = 1_000_000;

/** Formats with as many digits as the amount has: 12.30, 0.001. */
export function formatMicros(micros: bigint): string {
  const [sign, digits] = [micros < 0n ? "-" : "", String(micros < 0n ? -micros : micros).padStart(7, "0")];
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6).replace(/0{1,4}$/, "")}`;
}
