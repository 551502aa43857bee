import { INVISIBLE, personalKind } from "../base/text/personal-text.ts";
import { DIMENSIONS, keyColumns } from "../figures/dimensions.ts";
import { CALLERS } from "../warehouse/calls/callers.ts";
import { CALLS } from "../warehouse/calls/calls.ts";
import { TRANSCRIPTS } from "../warehouse/calls/transcripts.ts";

/** Whatever callers said, their numbers and browsers, and the words that decided a topic. */
const PRIVATE: ReadonlySet<string> = new Set([
  ...[CALLS, CALLERS, TRANSCRIPTS].flatMap(({ columns }) =>
    columns.filter(({ personal }) => personal !== undefined && personal !== "text").map(({ name }) => name),
  ),
  "phrase",
  "words",
]);
const IDS: ReadonlySet<string> = new Set(
  keyColumns(DIMENSIONS).flatMap(({ name, isId }) => (isId ? [name] : [])),
);
/** Made by the program, or chosen by its operator. */
const OWN: ReadonlySet<string> = new Set(["local_time", "order_id", "path"]);

const MAX_TEXT = 200;
const LAST_DIGITS = 4;

/** Returns data as an assistant may see it: texts are cut, and without `isPersonal`, personal data is hidden. */
export function toShown(data: object, isPersonal: boolean): Record<string, unknown> {
  const show = (value: unknown, name: string): unknown => {
    if (typeof value === "string") return cut(isPersonal ? value : hide(value, name));
    if (Array.isArray(value)) return value.map((item) => show(item, name));
    return typeof value === "object" && value !== null ? toShown(value, isPersonal) : value;
  };
  const members = Object.entries(data).filter(([name]) => isPersonal || !PRIVATE.has(name));
  return Object.fromEntries(members.map(([name, value]) => [name, show(value, name)]));
}

function hide(text: string, name: string): string {
  const digits = text.replace(/\D/g, "");
  if (name === "tracking_number" && digits.length > LAST_DIGITS) return `…${digits.slice(-LAST_DIGITS)}`;
  if (OWN.has(name) || isTime(text) || (IDS.has(name) && /^\d+$/.test(text))) return text;
  const kind = personalKind(text);
  return kind === undefined ? text : `[looks like ${kind}]`;
}

/** Colons and points separate the digits of a phone number, too. */
function isTime(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}

/** Invisible characters may say to a model what nobody sees. Control characters would be six each in JSON. */
function cut(text: string): string {
  const visible = text.replace(INVISIBLE, "");
  const isLong = visible.length > MAX_TEXT;
  const shown = isLong ? `${visible.slice(0, MAX_TEXT - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : visible;
  return shown.toWellFormed().replace(/\p{Cc}/gu, "\uFFFD");
}
