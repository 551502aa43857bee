import { createHash } from "node:crypto";
import type { Call } from "../../../src/calls/columns.ts";
import type { CheckedKind, CheckedRow } from "../figures/conversion-checker.ts";
import type { SceneAccount } from "./accounts.ts";
import { addDays, startOf } from "./clock.ts";
import { figuresOf } from "./oracle.ts";

export type FileKind = Exclude<CheckedKind, "google-ads-adjustments">;

/** Options below `conversion`, in the words of a request. */
export interface AskedConversions {
  name?: string;
  value?: number | "outcome";
  currency?: string;
  ad_user_data?: "granted" | "denied";
  ad_personalization?: "granted" | "denied";
  qualify?: "qualified" | "booked" | "sold";
  every?: boolean;
  new?: boolean;
  measurement_id?: string;
}

interface Upload {
  rows: CheckedRow[];
  /** Calls that are not in the file, with reasons. */
  excluded: { call_id: number; reason: string }[];
}

const HOUR_MS = 3_600_000;
const AGES: Record<FileKind, { fromHours: number; toHours: number }> = {
  "google-ads": { fromHours: 6, toHours: 90 * 24 },
  "google-leads": { fromHours: 0, toHours: 63 * 24 },
  "google-data-manager": { fromHours: 6, toHours: 90 * 24 },
  "microsoft-ads": { fromHours: 1, toHours: 90 * 24 },
  "ga4-events": { fromHours: 0, toHours: 72 },
};
const NAMES = { qualified: "Qualified call", booked: "Booked call", sold: "Sold call" };
const CONSENT = { granted: "Granted", denied: "Denied" };

interface Click {
  by: string;
  id: string;
}

function clickOf({ gclid, extra, referring_url }: Call): Click | undefined {
  if (gclid !== null) return { by: "gclid", id: gclid };
  const [[by, id] = []] = Object.entries<string>(JSON.parse(extra ?? "{}"));
  if (by !== undefined && id !== undefined) return { by, id };
  const ofPage = /msclkid=(\w+)/.exec(referring_url ?? "")?.[1];
  return ofPage === undefined ? undefined : { by: "msclkid", id: ofPage };
}

/** What a kind knows a call by, or why it cannot; a key that the platform would refuse is malformed. */
function keyOf(kind: FileKind, call: Call): { key: string; isValid: boolean } | { reason: string } {
  const click = clickOf(call);
  if (kind === "google-leads") {
    const number = call.caller_id ?? "";
    return /^\+\d+$/.test(number) ? { key: number, isValid: true } : { reason: "no caller id" };
  }
  if (kind === "ga4-events") {
    const id = call.google_analytics_cid;
    return id === null ? { reason: "no client id" } : { key: id, isValid: true };
  }
  if (kind === "microsoft-ads")
    return click?.by === "msclkid"
      ? { key: click.id, isValid: /^[0-9a-f]{32}$/.test(click.id) }
      : { reason: "no msclkid" };
  if (kind === "google-ads" && (click?.by === "gbraid" || click?.by === "wbraid"))
    return { reason: "gbraid or wbraid" };
  if (click === undefined || click.by === "msclkid") return { reason: "no gclid" };
  return call.gclsrc === "3p.ds" ? { reason: "not Google Ads" } : { key: click.id, isValid: true };
}

/** Computes the lines of a file for upload, oldest call first, and the calls that are left out. */
export function conversionsOf(
  account: SceneAccount,
  kind: FileKind,
  asked: AskedConversions,
  { range, nowMs }: { range: { from: string; to: string }; nowMs: number },
): Upload {
  const { gone, jobs, timezone } = account;
  const { qualify = "qualified", every = false, value: worth } = asked;
  const [from, end] = [startOf(range.from, timezone), startOf(addDays(range.to, 1), timezone)];
  const inOrder = account.calls
    .filter(({ call_id }) => !gone.has(call_id))
    .toSorted((a, b) => ((a.call_started ?? "") < (b.call_started ?? "") ? -1 : 1));
  const judged = inOrder.map((call) => {
    // Of one call alone, to know its topic and whether it counts.
    const alone = { ...account, calls: [call], jobs: [], spend: [], gone: new Set<number>() };
    const [row = {}] = figuresOf(alone, { by: ["topic"] });
    const own = jobs.filter(({ call_id }) => call_id === call.call_id);
    const isMeant =
      qualify === "qualified"
        ? row.qualified_calls === 1
        : own.some(({ stage }) => stage === "sold" || (qualify === "booked" && stage === "booked"));
    return { call, known: keyOf(kind, call), isMeant, topic: String(row.topic), jobs: own };
  });
  type Judged = (typeof judged)[number];
  const startOfCall = ({ call }: Judged) => call.call_started ?? "";
  const alike = ({ known, call }: Judged) =>
    "key" in known && call.call_started !== null
      ? judged.filter(
          (other) => "key" in other.known && other.known.key === known.key && startOfCall(other) !== "",
        )
      : [];
  const earnedBy = (each: Judged): number | "nothing" | null => {
    const all = (every ? [each] : alike(each)).flatMap((one) => one.jobs);
    const earned = all.reduce((sum, job) => sum + (job.stage === "sold" ? (job.amount_micros ?? 0) : 0), 0);
    if (earned > 0) return earned / 1e6;
    return all.length > 0 && all.every(({ stage }) => stage === "lost") ? "nothing" : null;
  };
  const reasonAgainst = (each: Judged): string | undefined => {
    const { known, call, isMeant } = each;
    if ("reason" in known) return known.reason;
    if (!known.isValid) return "malformed";
    if (call.call_started === null) return "no time";
    const hours = (nowMs - Date.parse(call.call_started)) / HOUR_MS;
    if (hours > AGES[kind].toHours) return "too old";
    if (hours < AGES[kind].fromHours) return "too recent";
    if (!isMeant) return `not ${qualify}`;
    if (!every && alike(each).find((other) => other.isMeant) !== each) return "duplicate";
    return worth === "outcome" && earnedBy(each) === "nothing" ? "nothing earned" : undefined;
  };
  const rows: CheckedRow[] = [];
  const excluded: Upload["excluded"] = [];
  for (const each of judged) {
    if (startOfCall(each) < from || startOfCall(each) >= end) continue;
    const reason = reasonAgainst(each);
    if (reason !== undefined) excluded.push({ call_id: each.call.call_id, reason });
    else rows.push(toRow(account, { kind, asked, each, earned: earnedBy(each) }));
  }
  return { rows, excluded };
}

interface Line {
  kind: FileKind;
  asked: AskedConversions;
  each: { call: Call; known: object; topic: string };
  earned: number | "nothing" | null;
}

/** Lays out a line as the platform's documentation says. */
function toRow(account: SceneAccount, { kind, asked, each, earned }: Line): CheckedRow {
  const { call, known, topic } = each;
  const { name = NAMES[asked.qualify ?? "qualified"], value, ad_user_data, ad_personalization } = asked;
  const key = "key" in known ? String(known.key) : "";
  const ofTopic = account.rules.topics.find((line) => line.topic === topic)?.value;
  const usual = ofTopic ?? (value === "outcome" ? undefined : value) ?? "";
  const amount = value === "outcome" && typeof earned === "number" ? earned : usual;
  const currency = value === "outcome" ? account.currency : (asked.currency ?? "");
  const second = `${(call.call_started ?? "").slice(0, 19)}Z`;
  const worth = { value: String(amount), currency: amount === "" ? "" : currency };
  if (kind === "ga4-events")
    return {
      measurement_id: asked.measurement_id ?? "",
      client_id: key,
      event_name: name,
      timestamp_micros: `${Date.parse(second)}000`,
      "event_param.call_id": String(call.call_id),
      "event_param.value": worth.value,
      "event_param.currency": worth.currency,
    };
  const click = clickOf(call);
  const ids: Record<Exclude<FileKind, "ga4-events">, CheckedRow> = {
    "google-ads": { "Google Click ID": key },
    "google-leads": { "Phone Number": createHash("sha256").update(key).digest("hex") },
    "google-data-manager": {
      "Google Click ID": click?.by === "gclid" ? key : "",
      GBRAID: click?.by === "gbraid" ? key : "",
      WBRAID: click?.by === "wbraid" ? key : "",
    },
    "microsoft-ads": { "Microsoft Click ID": key },
  };
  const isGoogle = kind !== "microsoft-ads";
  const shift = isGoogle ? 0 : OFFSET_HOURS[account.name] * HOUR_MS;
  const time = new Date(Date.parse(second) + shift).toISOString();
  return {
    ...ids[kind],
    "Conversion Name": name,
    "Conversion Time":
      kind === "google-data-manager" ? second : time.slice(0, "YYYY-MM-DDTHH:MM:SS".length).replace("T", " "),
    "Conversion Value": worth.value,
    "Conversion Currency": worth.currency,
    ...(isGoogle && asked.new && { "Order ID": `call-${call.call_id}` }),
    ...(isGoogle &&
      (ad_user_data ?? ad_personalization) !== undefined && {
        "Ad User Data": ad_user_data ? CONSENT[ad_user_data] : "",
        "Ad Personalization": ad_personalization ? CONSENT[ad_personalization] : "",
      }),
  };
}

/** Of April 2026, after the clock change of Lord Howe. */
const OFFSET_HOURS = { oahu: -10, chicago: -5, howe: 10.5 };
