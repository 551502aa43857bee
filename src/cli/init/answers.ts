import { describeError } from "../../base/errors.ts";
import { parsePath } from "../../base/path-text.ts";
import { nameSchema } from "../../config/file-schema.ts";
import { isMailAddress } from "../../config/mail-address.ts";
import { parseBaseUrl } from "../../config/setting-parsers.ts";
import { parseTimeZone } from "../../config/time-zone.ts";
import type { ReportChoice } from "./report-choices.ts";

/** A secret, and the file that holds it: undefined where it is yet to be written. */
export interface Secret {
  text: string;
  file: string | undefined;
}

/** What `init` has to know. */
export interface Answers {
  baseUrl: URL;
  token: Secret;
  timezone: string;
  account: string;
  report: ReportChoice;
  /** Folder for reports. */
  out: string;
  /** Who gets the report by e-mail. */
  to: readonly string[];
  /** Undefined where nobody does. */
  smtpUrl: Secret | undefined;
}

/** What the flags say of it. */
export type Given = { [Name in keyof Answers]: Answers[Name] | undefined };

/** The folder for reports, where none is named. */
export const DEFAULT_OUT = "reports";

// Each reads an answer, and throws an Error that says what is wrong with it.

export function parseAddress(text: string): URL {
  if (URL.parse(text.trim()) === null)
    throw new Error("is not a full address such as https://api.example.com");
  return parseBaseUrl(text.trim());
}

export function parseZone(text: string): string {
  return parseTimeZone(text.trim());
}

export function parseAccount(text: string): string {
  const { data, error } = nameSchema.safeParse(text.trim());
  if (data !== undefined) return data;
  throw new Error(error?.issues[0]?.message);
}

export function parseOut(text: string): string {
  const folder = parsePath(text.trim().replace(/(?<=.)[/\\]+$/, ""));
  if (!/[{}]/.test(folder)) return folder;
  throw new Error("must be without { and }: a folder for each account and report is made in it");
}

/** Addresses, separated by commas or white space. */
export function parseRecipients(text: string): string[] {
  const addresses = text.split(/[\s,;]+/).filter((part) => part !== "");
  for (const address of addresses) {
    if (!isMailAddress(address)) throw new Error(`${address} is not a mail address`);
  }
  return [...new Set(addresses)];
}

/** The time zone of this machine; UTC where it has none that has a name. */
export function zoneOfMachine(): string {
  try {
    return parseTimeZone(Intl.DateTimeFormat().resolvedOptions().timeZone);
  } catch {
    return "UTC";
  }
}

/** Parts of a host's name that tell nothing about whose it is. */
const COMMON_LABELS = /^(api|app|www|v\d+|\d+)$/;

/** Suggests a name for an account: acme for https://api.acme.example. */
export function accountOfHost({ hostname }: URL): string {
  const label = hostname.split(".").find((part) => !COMMON_LABELS.test(part)) ?? "";
  try {
    return parseAccount(label);
  } catch {
    return "main"; // an IP address
  }
}

/** Returns what is wrong with an answer, as a prompt shows it; undefined where it can be read. */
export function problemOf(parse: (text: string) => unknown, text: string): string | undefined {
  try {
    parse(text);
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}
