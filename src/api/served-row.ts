import { hash } from "node:crypto";
import { assertReadable } from "./parse-json.ts";
import { type ParsedRow, parseRowText } from "./parse-row.ts";

/** To be raised whenever `parseRow` or `hashCall` makes something else of the same bytes: all are then parsed again. */
const PARSER_VERSION = 3;
/** Characters of the hash that are kept: 132 bits. */
const HASH_LENGTH = 22;

const CALL_ID = Buffer.from('"call_id":');
const RECORDING_URL = Buffer.from('"recording_url"');
/** A letter or an underscore in disguise: a member's name could be spelled with it. */
const ESCAPED_LETTER = /\\u00[567]/;
const [QUOTE, BACKSLASH, SLASH, COLON, QUESTION_MARK, NUMBER_SIGN, MINUS, SPACE] = [
  0x22, 0x5c, 0x2f, 0x3a, 0x3f, 0x23, 0x2d, 0x20,
];

/** What tells a call as served from what was served before. */
export interface Fingerprint {
  /** What looks like the call's id. It is, if the hash is the one that was kept with this id. */
  call_id: number;
  /** Hash of the call as served, but for the query of its recording link, whose signature is new in every response. */
  hash: string;
  /** That link; undefined where it has no query. */
  recording_url: string | undefined;
}

/** Returns what tells a call from others without parsing it; undefined if that is not certain. */
export function takeFingerprint(row: Buffer): Fingerprint | undefined {
  const call_id = findCallId(row);
  const query = findRecordingQuery(row);
  if (call_id === undefined || query === undefined) return undefined;
  // Three times as fast as SHA-256 where the processor does not help with that.
  const digest = hash("blake2b512", without(row, query), "base64url").slice(0, HASH_LENGTH);
  const hasQuery = query.start < query.end;
  const recording_url = hasQuery
    ? row.toString("utf8", query.link, query.end).replaceAll("\\/", "/")
    : undefined;
  return { call_id, hash: `${PARSER_VERSION}.${digest}`, recording_url };
}

/**
 * Parses the bytes of one call.
 *
 * @throws SyntaxError
 */
export function parseServedRow(row: Buffer, fingerprint = takeFingerprint(row)): ParsedRow {
  const text = row.toString();
  assertReadable(text);
  const parsed = parseRowText(text);
  const isCertain = fingerprint && "call" in parsed && parsed.call.call_id === fingerprint.call_id;
  // What was left out of the hash may have been something else than the call's recording.
  const isOther = isCertain && parsed.call.recording_url === null && row.includes(RECORDING_URL);
  return isCertain && !isOther && !ESCAPED_LETTER.test(text)
    ? { ...parsed, served: fingerprint.hash }
    : parsed;
}

function findCallId(row: Buffer): number | undefined {
  const at = row.indexOf(CALL_ID);
  if (at === -1) return undefined;
  let position = skipSpaces(row, at + CALL_ID.length);
  const isNegative = row[position] === MINUS;
  if (isNegative) position++;
  let id = 0;
  const start = position;
  for (; position < row.length; position++) {
    const digit = (row[position] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    id = id * 10 + digit;
  }
  if (position === start || !Number.isSafeInteger(id)) return undefined;
  return isNegative ? -id : id;
}

interface Range {
  /** Where the link begins that the query is of. */
  link: number;
  start: number;
  end: number;
}

/** Where the query of the recording's address is; empty where there is none, undefined where one may be hidden. */
function findRecordingQuery(row: Buffer): Range | undefined {
  const none = { link: row.length, start: row.length, end: row.length };
  const at = row.indexOf(RECORDING_URL);
  if (at === -1) return none;
  // Another object's member of that name would be taken for the call's.
  if (row.indexOf(RECORDING_URL, at + 1) !== -1) return undefined;
  const colon = skipSpaces(row, at + RECORDING_URL.length);
  if (row[colon] !== COLON) return none;
  let position = skipSpaces(row, colon + 1);
  if (row[position] !== QUOTE) return none;
  let start: number | undefined;
  const link = position + 1;
  for (position++; position < row.length; position++) {
    const byte = row[position] ?? 0;
    if (byte === QUOTE) return start === undefined ? none : { link, start, end: position };
    if (byte < SPACE) return undefined;
    if (byte === BACKSLASH && row[++position] !== SLASH) return undefined;
    if (byte === QUESTION_MARK || byte === NUMBER_SIGN) start ??= position;
  }
  return undefined;
}

function skipSpaces(row: Buffer, from: number): number {
  let position = from;
  while (row[position] === SPACE) position++;
  return position;
}

/** Bytes to be hashed, put together anew for each call. */
let scratch = Buffer.alloc(65_536);

function without(row: Buffer, { start, end }: Range): Buffer {
  if (start === end) return row;
  if (scratch.length < row.length) scratch = Buffer.alloc(row.length * 2);
  const copied = row.copy(scratch, 0, 0, start);
  return scratch.subarray(0, copied + row.copy(scratch, copied, end));
}
