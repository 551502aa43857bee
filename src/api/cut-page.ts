import { randomUUID } from "node:crypto";

/** A response body, cut into its calls without parsing it. */
export interface CutPage {
  /** The body with {@link PLACE} in the place of the calls. */
  frame: string;
  /** The bytes of each call, as served. */
  rows: Buffer[];
}

/** What stands in a frame where the calls were: a text that no service can send. */
export const PLACE = randomUUID();

/** Where the list of calls is looked for, in bytes from the start: what precedes it is short. */
const HEAD_BYTES = 4096;
/** The list's opening bracket, and the first call up to its first member's colon. */
const OPENING = /"calls"\s*:\s*\[\s*(\{\s*"[^"\\]+"\s*:)/;
/** Calls of one page that are read: ten times what a service may be asked for (API v3 § 8), if it heeds no limit. */
export const MAX_ROWS = 10_000;
/** Closing brackets tried from the end of the body, until one follows an object. */
const MAX_BRACKETS = 8;

const [BRACE, BRACKET, COMMA] = [0x7d, 0x5d, 0x2c];

/**
 * Guesses where the calls of a page begin and end: where the first member's name comes up after a comma. Undefined
 * where that leads to nothing.
 *
 * A guess is right if each of its rows is JSON by itself, and `data.calls` of the frame is {@link PLACE} alone: put
 * together they are then the body, and its list has these elements and no other. The caller has to see to that.
 *
 * @param body UTF-8
 */
export function cutPage(body: Buffer): CutPage | undefined {
  const found = OPENING.exec(body.toString("latin1", 0, HEAD_BYTES));
  const [whole, opening] = found ?? [];
  if (!found || whole === undefined || opening === undefined) return undefined;
  const first = found.index + whole.length - opening.length;
  const end = findEnd(body);
  if (end <= first) return undefined;

  const rows: Buffer[] = [];
  let start = first;
  for (let at = first + opening.length; ; at += opening.length) {
    at = body.indexOf(opening, at, "latin1");
    if (at === -1 || at >= end) break;
    const comma = skipBlanksBack(body, at);
    if (body[comma - 1] !== COMMA) continue; // the same name begins an object inside a call
    if (rows.length === MAX_ROWS - 1) return undefined; // the last one comes on top
    rows.push(body.subarray(start, skipBlanksBack(body, comma - 1)));
    start = at;
  }
  rows.push(body.subarray(start, skipBlanksBack(body, end)));
  return { frame: `${body.toString("utf8", 0, first)}"${PLACE}"${body.toString("utf8", end)}`, rows };
}

/** Where the bracket stands that closes the list; -1 where none looks like it. */
function findEnd(body: Buffer): number {
  let end = body.length;
  for (let tries = 0; tries < MAX_BRACKETS && end > 0; tries++) {
    end = body.lastIndexOf(BRACKET, end - 1);
    if (end <= 0 || body[skipBlanksBack(body, end) - 1] === BRACE) return end;
  }
  return -1;
}

/** The position after the last byte before `end` that is not white space of JSON's (RFC 8259 § 2). */
function skipBlanksBack(body: Buffer, end: number): number {
  let position = end;
  for (; position > 0; position--) {
    const byte = body[position - 1];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
  }
  return position;
}
