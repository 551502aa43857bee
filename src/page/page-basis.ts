import { html } from "hono/html";
import { toPrintable } from "../base/printable.ts";
import { formatCount, formatQuantity } from "../base/quantity-text.ts";
import { localTime } from "../calendar/local-time.ts";
import { sentencesOnSpend } from "../export/described-spend.ts";
import { describeCaveats, describeHistory } from "../export/manifest.ts";
import { unlistedInWords } from "../warehouse/calls/gone.ts";
import { originInWords } from "../warehouse/origin.ts";
import { capitalized, type Html } from "./figure-text.ts";
import type { Report } from "./report-figures.ts";

export function verdictLine({ manifest, coverage }: Report): Html {
  const { run, range, caveats, timezone, origin } = manifest;
  const { verified, rejected } = coverage;
  const { starts_at = "", ends_at = "" } = range;
  const provenAt = verified?.finished_at ?? "";
  const isStale = (run?.finished_at ?? "") < ends_at;
  const isProven = caveats === undefined && provenAt > starts_at;
  const claim =
    caveats !== undefined
      ? "In doubt."
      : verified === null
        ? "Not proven complete."
        : provenAt > starts_at
          ? `Complete as of ${minuteOf(provenAt, timezone)}.`
          : "Not proven complete for these days.";
  const sentences = [
    ...(verified === null
      ? []
      : [
          `Run ${verified.run_id} proved${isProven ? "" : ` at ${minuteOf(provenAt, timezone)}`} that it read every call.`,
        ]),
    ...(run === null ? [] : [`The last sync, ${minuteOf(run.finished_at, timezone)}, is ${run.verdict}.`]),
    ...(run !== null && isStale ? ["The range ends after it: later calls are not here yet."] : []),
    ...(rejected > 0 ? [`Rows that could not be read, and are in no figure: ${formatCount(rejected)}.`] : []),
    ...(range.provisional
      ? ["The latest days are provisional: late transcripts and corrections may still come."]
      : []),
    ...describeCaveats(manifest),
    ...(origin.made_by_demo ? ["These calls are made up."] : []),
  ];
  const isDoubtful = !isProven || isStale || rejected > 0;
  return html`<p class="verdict${isDoubtful ? " doubt" : ""}"><strong>${claim}</strong> ${toPrintable(sentences.join(" "))} <a href="#basis">What these figures are based on</a></p>`;
}

export function basisSection({ coverage, manifest, fingerprint }: Report): Html {
  const { run, origin, rules, timezone, range, compared_with, caveats, unlisted } = manifest;
  const item = (name: string, text: Html | string) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`;
  const history = describeHistory(manifest);
  const total = coverage.total === null ? "" : `; the service counted ${formatCount(coverage.total)}`;
  return html`<h2 id="basis">What these figures are based on</h2>
<dl class="basis">
${item("The copy is", toPrintable(originInWords(origin)))}
${item("Completeness", run === null ? "No sync has finished yet." : `Run ${run.run_id}: ${run.verdict}. ${capitalized(toPrintable(run.verdict_reason ?? ""))}.`)}
${caveats === undefined ? "" : item("In doubt", describeCaveats(manifest).join(" "))}
${item("Order of the list", coverage.order ?? "not known yet")}
${item("Freshness", `${run === null ? "No sync has finished" : `Last sync ended ${minuteOf(run.finished_at, timezone)}`}; newest call ${minuteOf(coverage.newest_call, timezone)}.`)}
${item("Calls in the copy", `${formatCount(coverage.calls)}${total}.`)}
${unlisted === undefined ? "" : item("Unlisted", `${unlistedInWords(unlisted)}.`)}
${item("Provisional", range.provisional ? "Yes: late transcripts and corrections may still change figures of the latest days." : "No: the time for late transcripts and corrections has passed.")}
${compared_with?.begins_before_first_call ? item("Previous period", "It begins before the first call in the copy: its figures may be too low, and the changes too high.") : ""}
${history.length === 0 ? "" : item("First-time callers", history.join(" "))}
${manifest.spend === undefined ? "" : item("Spend", toPrintable(sentencesOnSpend(manifest.spend, timezone).join(" ")))}
${item("Rejected rows", coverage.rejected === 0 ? "None." : `${formatQuantity(coverage.rejected, "row")} that could not be read: no figure counts them. See calltally status.`)}
${item("Drift", coverage.drift.length === 0 ? "None: all members of calls are as documented." : `${formatQuantity(coverage.drift.length, "member")} not as documented: ${toPrintable(coverage.drift.slice(0, 5).join(", "))}.`)}
${item(
  "Rules",
  html`<ul><li>Answered: ${toPrintable(rules.answered.join(", "))}</li><li>Missed: ${toPrintable(rules.missed.join(", "))}</li><li>Qualified: answered, ${rules.qualified_seconds} seconds or longer${rules.topics === 0 ? "" : html`, unless the topic decides, by ${formatQuantity(rules.topics, "line")}`}; the service's durations are read as ${rules.duration_unit}</li><li>Channels: ${rules.channels}; ${formatQuantity(rules.aliases, "alias", "aliases")}</li></ul>`,
)}
${item("Fingerprint", html`<code>${fingerprint}</code>, as in the <code>manifest.json</code> of a folder: reports with the same one are based on the same sync, days, filter, rules and sums.`)}
</dl>`;
}

/** Local time to the minute. */
function minuteOf(time: string | null, timezone: string): string {
  if (time === null) return "never";
  const { local, offset } = localTime(timezone)(time);
  return `${local.slice(0, "YYYY-MM-DD HH:MM".length)} (UTC${offset === "+00:00" ? "" : offset})`;
}
