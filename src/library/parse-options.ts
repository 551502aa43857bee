import type { Dispatcher } from "undici";
import { z } from "zod";
import { splitAdvice, UsageError } from "../base/errors.ts";
import { pick } from "../base/records.ts";
import { PHONE_NUMBER } from "../base/text/e164.ts";
import { orMeant } from "../base/text/nearest.ts";
import { parseFilePath } from "../base/text/path-text.ts";
import { toPhoneNumber } from "../calls/phone-numbers.ts";
import { describeIssue } from "../config/request/describe-issue.ts";
import { type ExportRequest, REQUEST_KEYS } from "../config/request/export-request.ts";
import { by, option, parsed } from "../config/request/issues.ts";
import { CALL_LISTS, FORMATS } from "../config/request/option-values.ts";
import { FILTER_DESCRIPTION, optionsThat } from "../config/request/options.ts";
import { parseBaseUrl, parseToken } from "../config/setting-parsers.ts";
import { ALL_SETTINGS, SETTINGS } from "../config/settings.ts";
import { parseTimeZone } from "../config/time-zone.ts";
import { DIMENSIONS } from "../figures/dimensions.ts";
import type { ReadOptions, SqlParameter, SqlParameters, SyncOptions } from "./types.ts";

/** Options that settings must not duplicate. */
const OPTIONS: ReadonlyMap<string, keyof SyncOptions> = new Map([
  [SETTINGS.database.env, "database"],
  [SETTINGS.baseUrl.env, "baseUrl"],
  [SETTINGS.token.env, "token"],
  [SETTINGS.tokenFile.env, "token"],
  [SETTINGS.orgUnitId.env, "orgUnitId"],
]);
const OTHERS: readonly string[] = ALL_SETTINGS.map(({ env }) => env).filter((name) => !OPTIONS.has(name));

const settingName = z.string().superRefine((name, context) => {
  if (OTHERS.includes(name)) return;
  const option = OPTIONS.get(name);
  context.addIssue(
    option === undefined ? `is not a setting${orMeant(name, OTHERS)}` : `is not allowed here; use ${option}`,
  );
});

const text = (parse: (text: string) => unknown) => z.string().min(1).superRefine(by(parse));
const path = text(parseFilePath);

const toText = (value: unknown) => (Number.isSafeInteger(value) ? String(value) : value);

const signal = z.instanceof(AbortSignal).optional();

/** Never shown in an error. */
const token = z
  .custom<string>((value) => typeof value === "string" && value !== "", "must be a text that is not empty")
  .superRefine(by(parseToken));

const syncOptions = z.strictObject({
  database: path,
  baseUrl: text(parseBaseUrl),
  token,
  orgUnitId: z.preprocess(toText, text(SETTINGS.orgUnitId.parse)).optional(),
  mode: z.enum(["full", "incremental"]).optional(),
  signal,
  onProgress: z
    .custom<NonNullable<SyncOptions["onProgress"]>>(
      (value) => typeof value === "function",
      "must be a function",
    )
    .optional(),
  settings: z.record(settingName, z.string()).optional(),
  dispatcher: z
    .custom<Dispatcher>(
      (value) => typeof Object(value).dispatch === "function",
      "must be a Dispatcher of undici",
    )
    .optional(),
  createFolders: z.boolean().optional(),
  begin: z.boolean().optional(),
}) satisfies z.ZodType<SyncOptions>;

const caller = z
  .string()
  .refine(
    (number) => PHONE_NUMBER.test(toPhoneNumber(number)?.number ?? ""),
    "is not a phone number with its country code",
  );

const { allow_empty: _, ...filterKeys } = REQUEST_KEYS.filter.unwrap().shape;
const filter = z.strictObject({
  ...filterKeys,
  channel: filterKeys.source.meta({
    description: "Calls of these channels, in any case.",
    examples: ["Paid Search"],
  }),
  exclude_callers: option(
    z.array(caller).min(1),
    "Phone numbers whose calls are left out, with their country codes.",
  ),
});

const questions = pick(REQUEST_KEYS, optionsThat({ library: "question" }));
export const rollupQuestion = z.strictObject({
  by: z
    .array(z.enum(DIMENSIONS))
    .meta({ description: "What to group by, combined; empty for one row of everything." }),
  ...questions,
  timezone: option(parsed(parseTimeZone), "IANA time zone of days and local times.", "America/Chicago"),
  filter: option(filter, FILTER_DESCRIPTION),
});

const { by: dimensions, ...members } = rollupQuestion.shape;
export const exportRequest = z.strictObject({
  ...members,
  contents: z
    .array(z.enum([...DIMENSIONS, ...CALL_LISTS]))
    .min(1)
    .optional(),
  by: dimensions.min(1).optional(),
  ...pick(REQUEST_KEYS, optionsThat({ library: "files" })),
  format: z.enum(FORMATS).optional(),
});

const { include_gone: __, ...ofLiveCalls } = filter.shape;
const callQuestion = z.strictObject({
  range: members.range,
  timezone: members.timezone,
  filter: z.strictObject(ofLiveCalls).optional(),
});

const readOptions = z.strictObject({ signal });

/** What SQLite stores; JavaScript's other values have no one way to be written. */
const sqlValue = z.custom<SqlParameter>((value) => problemOfParameter(value) === undefined, {
  error: ({ input }) => problemOfParameter(input),
});
const query = z.object({
  sql: z.string(),
  parameters: z.union([z.array(sqlValue), z.record(z.string(), sqlValue)]),
});

function problemOfParameter(value: unknown): string | undefined {
  if (value === undefined) return "is undefined; pass null for no value";
  if (typeof value === "boolean") return `is ${value}; pass ${Number(value)}, which SQLite has for ${value}`;
  if (value instanceof Date) return "is a Date; pass its text, as in toISOString()";
  if (typeof value === "number" && !Number.isFinite(value))
    return `is ${value}; pass a finite number, or null`;
  if (typeof value === "bigint" && BigInt.asIntN(64, value) !== value)
    return "is beyond the 64 bits of an SQLite integer; pass it as text";
  const isKnown =
    value === null || ["string", "number", "bigint"].includes(typeof value) || value instanceof Uint8Array;
  return isKnown ? undefined : "cannot be bound; pass a string, a number, a bigint, null or a Uint8Array";
}

/** @throws UsageError that names the option, and says what is allowed */
export function parseSyncOptions(options: unknown) {
  return parse(syncOptions, options);
}

/** @throws UsageError that says what is allowed */
export function parseWarehousePath(value: unknown): string {
  return parse(z.object({ path }), { path: value }).path;
}

export interface Query {
  sql: string;
  parameters: SqlParameters;
}

/** @throws UsageError that names the parameter, and says what to pass */
export function parseQuery(sql: unknown, parameters: unknown = []): Query {
  return parse(query, { sql, parameters });
}

/** @throws UsageError that says what is allowed */
export function parseReadOptions(options: unknown = {}): ReadOptions {
  return parse(readOptions, options);
}

/**
 * Returns the request that a question makes, and its zone.
 * @throws UsageError that names the member, and says what is allowed
 */
export function parseQuestion(question: unknown): ParsedRequest {
  return toAsked(parse(rollupQuestion, question));
}

/** @throws UsageError that names the member, and says what is allowed */
export function parseCallQuestion(question: unknown = {}): ParsedRequest {
  return toAsked(parse(callQuestion, question));
}

/** @throws UsageError that names the member, and says what is allowed */
export function parseExport(folder: unknown, request: unknown): ParsedRequest & { folder: string } {
  const target = parse(z.object({ folder: text(parseFilePath) }), { folder });
  return { ...target, ...toAsked(parse(exportRequest, request)) };
}

export interface ParsedRequest {
  request: ExportRequest;
  timezone: string;
}

function toAsked({
  timezone = "UTC",
  ...request
}: ExportRequest & { timezone?: string | undefined }): ParsedRequest {
  return { request, timezone: parseTimeZone(timezone) };
}

/** @throws UsageError for the first problem, with the member that has it */
export function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const { data, error } = schema.safeParse(value, { reportInput: true });
  if (error === undefined) return data;
  const [{ path, message } = { path: [], message: "cannot be used" }] = error.issues.flatMap((issue) =>
    describeIssue(schema, issue),
  );
  const option = path.join(".");
  const named = option === "" ? "the options" : option;
  const { state, advice } = splitAdvice(message);
  if (state === "is missing")
    throw new UsageError(`Cannot continue: ${named} ${state}`, { hint: advice ?? "Pass it.", option });
  const hint = advice ?? "Correct this option.";
  throw new UsageError(`Cannot use ${named}: ${state}`, { hint, option });
}
