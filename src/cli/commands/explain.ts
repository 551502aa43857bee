import { Command } from "@commander-js/extra-typings";
import { minutesOf } from "../../base/calendar/local-time.ts";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import { ellipsize } from "../../base/text/terminal-text.ts";
import { ASSISTANTS_AS_OF } from "../../calls/attribution/ai-assistants.ts";
import { presentText } from "../../calls/attribution/call-text.ts";
import { shownFacts } from "../../calls/facts.ts";
import { readAttributionRules } from "../../config/attribution-settings.ts";
import type { Settings } from "../../config/load-settings.ts";
import { CONVERSIONS } from "../../config/request/conversion-kinds.ts";
import { readStatements } from "../../export/statements/read-statements.ts";
import { NOT_SET } from "../../figures/reserved-keys.ts";
import { type CallsOfNumber, readCallsOfNumber } from "../../operate/explain/calls-of-number.ts";
import {
  type ExplainedCall,
  type Explanation,
  explainCall,
  noCallError,
} from "../../operate/explain/explain-call.ts";
import { hasCall } from "../../warehouse/calls/call-table.ts";
import { openReader } from "../../warehouse/file/open.ts";
import { openOwn } from "../../warehouse/file/own-warehouse.ts";
import { settingsOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action, type Result } from "../frame.ts";
import { parseCountryCode } from "../parsers.ts";
import { layOutTable } from "../terminal/query-table.ts";
import { besideData } from "../terminal/statement-lines.ts";

export const command = (context: Context) =>
  new Command("explain")
    .description(
      `Shows how a call was attributed: its values, the rules that were tried, and whether it is a first call, qualified, and suitable for upload.
With a phone number in any spelling, lists its latest calls. Digits alone are a call id if there is such a call.`,
    )
    .argument("<call...>", "a call id, or a phone number; one with parentheses needs quotes")
    .option(
      "--country-code <digits>",
      "of a number that has none, such as 1; by default, 1 if nearly all callers have it",
      parseCountryCode,
    )
    .option(...OPTION.timezone)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      '\nExamples:\n  $ calltally explain 731023089\n  $ calltally explain "(512) 555-0117"',
    )
    .action(
      action(context, async (words, { countryCode }) => {
        // Without quotes, a number has several words; an error about them would print it.
        const call = words.join(" ");
        const settings = settingsOf(context);
        const callId = findCallId(call, settings, countryCode);
        if (callId === undefined) return listCalls(call, settings, countryCode);
        const explained = await explainCall({ ...settings, callId, rules: readAttributionRules(settings) });
        if (explained === undefined) throw noCallError(callId, settings.database);
        const text = describeExplanation(explained, settings.timezone, context.folder);
        using reader = openReader(settings.database);
        return { data: explained.data, text, ...besideData(readStatements(reader, settings)) };
      }),
    );

/** How errors refer to a number, which must not get into a log. */
const AS = "this number";
const CALL_ID = /^\d{1,16}$/;
/** Fewer digits are no phone number that people call from. */
const MIN_DIGITS = 7;

/** Returns the id that digits are: of a call, or else if they are too few for a phone number. */
function findCallId(text: string, settings: Settings, countryCode: string | undefined): number | undefined {
  const digits = text.trim();
  if (!CALL_ID.test(digits)) return undefined;
  const id = Number(digits);
  if (countryCode !== undefined || !Number.isSafeInteger(id)) return undefined;
  if (digits.length < MIN_DIGITS) return id;
  using reader = openOwn(settings, openReader);
  return hasCall(reader, id) ? id : undefined;
}

function listCalls(number: string, settings: Settings, countryCode: string | undefined): Result {
  using reader = openOwn(settings, openReader);
  const listed = readCallsOfNumber(reader, number, {
    countryCode,
    as: CALL_ID.test(number.trim()) ? "this id or number" : AS,
  });
  return {
    data: listed,
    text: describeCalls(listed, settings.timezone),
    ...besideData(readStatements(reader, settings)),
  };
}

const LISTED = ["call_id", "started", "duration", "disposition", "channel", "source", "counts"] as const;

function describeCalls({ calls, total, assumedCode, isOpen }: CallsOfNumber, timezone: string): string {
  const minuteOf = minutesOf(timezone);
  const rows = calls.map(({ call_id, call_started, duration, disposition, channel, source, gone_at }) => [
    ...[call_id, call_started === null ? null : minuteOf(call_started), duration, disposition],
    ...[channel, source ?? NOT_SET, gone_at === null ? "yes" : "no: gone"],
  ]);
  const more = total - calls.length;
  return [
    `${formatQuantity(total, "call")} of this number, latest first, times of ${timezone}`,
    ...(assumedCode === undefined
      ? []
      : [`It was read with the country code +${assumedCode}, which nearly all numbers here have.`]),
    ...(isOpen ? ["It was looked for as it is written, without a country code."] : []),
    "",
    layOutTable(LISTED, rows),
    ...(more > 0 ? [`and ${formatCount(more)} more: calltally export calls --caller NUMBER`] : []),
    "",
    `calltally explain ${calls[0]?.call_id} shows how the latest was attributed.`,
  ].join("\n");
}

const WIDTH = 78;
const NAMES_WIDTH = Math.max("referring_host".length, ...CONVERSIONS.map((kind) => kind.length)) + 1;

/** @param timezone of its times, named once */
function describeExplanation(
  { data: explanation, notes }: ExplainedCall,
  timezone: string,
  folder: string,
): string {
  const { dni, utm, channel_rules } = explanation;
  const minuteOf = minutesOf(timezone);
  const tried = channel_rules.tried.map(({ channel, holds }, index) =>
    line(`  ${index + 1}`, `${channel}: ${holds ? "yes" : "no"}`),
  );
  const isOwn = explanation.channel_line !== null;
  const missed = channel_rules.tried.every(({ holds }) => !holds);
  return [
    line("call", `${explanation.call_id}, ${explanation.local_time ?? "at an unknown time"}`),
    line("times of", timezone),
    line("counted", describeCounted(explanation, minuteOf)),
    "",
    ...Object.entries(utm).map(([field, value]) => line(field, describeUtm(dni[field] ?? null, value))),
    line("click", describeClick(explanation)),
    line("source", describeFill(explanation, explanation.source, utm.utm_source?.tallied_as)),
    line("medium", describeFill(explanation, explanation.medium, utm.utm_medium?.tallied_as)),
    line("campaign", describeCampaign(explanation)),
    ...shownFacts("visit").map((name) => line(name, explanation[name] ?? NOT_SET)),
    line("decided by", describeRule(explanation)),
    "",
    line(
      "channel",
      isOwn
        ? `${explanation.channel}, by line ${explanation.channel_line} of the file of channels`
        : `${explanation.channel}; rules ${channel_rules.version}, tried in order:`,
    ),
    ...(isOwn ? [] : missed ? [line("", `none of the ${tried.length} matches`)] : tried),
    "",
    line("outcome", describeOutcome(explanation)),
    line("topic", describeTopic(explanation)),
    ...(explanation.topic_match === null ? [] : [line("", explanation.topic_match.words)]),
    line("qualified", describeQualified(explanation)),
    ...(explanation.in_hours === null ? [] : [line("in hours", describeHours(explanation))]),
    line("first call", describeFirst(explanation, minuteOf)),
    ...notes
      .flatMap((note) => note.toLines({ minuteOf, folder }))
      .map(({ name, text, isWhole }) => (isWhole ? `${name.padEnd(NAMES_WIDTH)}${text}` : line(name, text))),
  ].join("\n");
}

function line(name: string, text: string): string {
  return ellipsize(`${name.padEnd(NAMES_WIDTH)}${text}`, WIDTH).trimEnd();
}

function quote(text: string | null): string {
  return text === null ? "none" : JSON.stringify(ellipsize(text, 40));
}

function describeUtm(
  raw: string | null,
  { folded, tallied_as }: { folded: string | null; tallied_as: string | null },
) {
  const alias = folded === tallied_as ? "" : `, an alias of ${folded}`;
  return `${tallied_as ?? NOT_SET}${alias}; as served: ${quote(raw)}`;
}

const PLATFORMS = {
  google: "Google Ads",
  microsoft: "Microsoft Advertising",
  other: "another platform, by Search Ads 360",
} as const;

function describeClick({ click }: Explanation): string {
  if (click === null) return NOT_SET;
  const gclsrc = click.gclsrc === null ? "" : `, gclsrc ${quote(click.gclsrc)}`;
  return `${PLATFORMS[click.platform]}${gclsrc}; ${click.by} as served: ${quote(click.id)}`;
}

/** Says what a value comes from that is not as tagged. */
function describeFill(
  { click, source_rule }: Explanation,
  value: string | null,
  tagged: string | null = null,
) {
  const isOther = (source_rule === "utm" || source_rule === "click id") && value !== tagged;
  if (!isOther || value === null) return value ?? NOT_SET;
  return `${value}, from the ${click === null ? "AI assistant" : `${PLATFORMS[click.platform]} click`}`;
}

/** What decided source and medium. */
function describeRule({ source_rule, referring_host, referrer_kind, is_assistant }: Explanation): string {
  switch (source_rule) {
    case "utm":
      return "the utm values";
    case "click id":
      return "the click id, as no utm values name both a source and a medium other than organic";
    case "campaign":
      return "nothing: a campaign without utm values or click id has no source";
    case "referrer": {
      if (is_assistant)
        return `the referrer ${referring_host}, on our list of assistants, ${ASSISTANTS_AS_OF}`;
      const kind = referrer_kind === null ? "not on" : `${referrer_kind} on`;
      return `the referrer ${referring_host}, ${kind} Google's list of sources`;
    }
    default:
      return "no utm values, click id or referrer: direct";
  }
}

function describeCampaign({ campaign, campaign_as_tagged, campaign_from, dni }: Explanation): string {
  if (campaign === null) return NOT_SET;
  const id = dni.campaign_id ? `, id ${dni.campaign_id.trim()}` : "";
  const tagged = campaign_as_tagged ?? NOT_SET;
  const common = campaign === campaign_as_tagged ? "" : `; as tagged: ${tagged}`;
  if (campaign_as_tagged === null) return `${campaign}${id}${common}`;
  if (campaign_from === null) return `${campaign}${id}${common}; from the AI assistant`;
  const raw = presentText(dni[campaign_from] ?? null);
  const alias = raw === campaign_as_tagged ? "" : `, an alias of ${quote(raw)}`;
  return `${campaign}${id}${common}; from ${campaign_from}${alias}`;
}

function describeOutcome({ outcome, disposition }: Explanation): string {
  const list =
    outcome === "other" ? "in neither of the settings answered and missed" : `in the setting ${outcome}`;
  return presentText(disposition) === null
    ? "other: it has no disposition"
    : `${outcome}: ${quote(disposition)} is ${list}`;
}

function describeTopic({ topic, topic_match: match, is_topic_kept }: Explanation): string {
  if (is_topic_kept) return `${topic ?? NOT_SET}, as it was when the transcript was removed`;
  if (match === null) return NOT_SET;
  const speaker = match.speaker === null ? "" : `, said by ${match.speaker}`;
  return `${topic}, by line ${match.line}: ${quote(match.phrase)}${speaker}`;
}

function describeQualified(explanation: Explanation): string {
  const { qualified, topic_qualifies, outcome, duration, duration_unit, qualified_seconds } = explanation;
  if (outcome !== "answered") return "no: not answered";
  if (topic_qualifies !== null)
    return `${qualified ? "yes" : "no"}: its topic says so, whatever its duration`;
  if (duration === null) return "no: its duration is unknown";
  return `${qualified ? "yes" : "no"}: it lasted ${duration} ${duration_unit}, and the minimum is ${qualified_seconds} seconds`;
}

function describeHours({ in_hours, call_started }: Explanation): string {
  if (call_started === null) return "no: its start is unknown";
  return in_hours === "yes" ? "yes: it came in opening hours" : "no: it came outside of opening hours";
}

type ToMinute = ReturnType<typeof minutesOf>;

function describeCounted({ gone_at, unlisted_since }: Explanation, minuteOf: ToMinute): string {
  if (gone_at !== null) return `no: gone from the service, seen ${minuteOf(gone_at)}`;
  return unlisted_since === null
    ? "yes"
    : `yes; left the service's list on ${minuteOf(unlisted_since)}: the service lists no older calls`;
}

function describeFirst(explanation: Explanation, minuteOf: ToMinute): string {
  const { gone_at, first_time_caller, first_call, is_first_load } = explanation;
  if (gone_at !== null) return "no: calls that are gone do not count";
  if (is_first_load) return "unknown until the first load has finished";
  if (first_time_caller) return "yes: the caller's first in the warehouse";
  if (first_call === null) return "no: the caller is unknown";
  const { call_id, call_started } = first_call;
  return `no: that was ${call_id}, ${call_started === null ? "at an unknown time" : minuteOf(call_started)}`;
}
