import { html } from "hono/html";
import { localTime } from "../calendar/local-time.ts";
import { describeCaveats } from "../export/manifest.ts";
import { toPrintable } from "../printable.ts";
import { originInWords } from "../warehouse/origin.ts";
import { formatCount, formatQuantity, type Html } from "./figure-text.ts";
import { capitalized } from "./period-text.ts";
import type { Report } from "./report-page.ts";

/** Returns in a few words whether the copy is complete, and how well that is known. */
export function verdictLine({ manifest, basis }: Report): Html {
  const { run, range, caveats, timezone } = manifest;
  const { verified } = basis;
  const claim =
    caveats !== undefined
      ? "In doubt."
      : verified === null
        ? "Not proven complete."
        : `Complete as of ${minuteOf(verified.finished_at, timezone)}.`;
  const sentences = [
    ...(verified === null ? [] : [`Run ${verified.run_id} proved that it read every call.`]),
    run === null
      ? "No sync has finished."
      : `The last sync, ${minuteOf(run.finished_at, timezone)}, is ${run.verdict}.`,
    ...(range.provisional
      ? ["The latest days are provisional: late transcripts and corrections may still come."]
      : []),
    ...describeCaveats(manifest),
  ];
  const isDoubtful = caveats !== undefined || verified === null;
  return html`<p class="verdict${isDoubtful ? " doubt" : ""}"><strong>${claim}</strong> ${toPrintable(sentences.join(" "))} <a href="#basis">What these figures stand on</a></p>`;
}

/** Returns all that the figures stand on. */
export function basisSection({ basis, manifest, fingerprint }: Report): Html {
  const { run, origin, rules, timezone, range, compared_with, caveats } = manifest;
  const item = (name: string, text: Html | string) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`;
  const total = basis.total === null ? "" : `; the service counted ${formatCount(basis.total)}`;
  return html`<h2 id="basis">What these figures stand on</h2>
<dl class="basis">
${item("Copied from", `${toPrintable(originInWords(origin))}${origin.made_by_demo ? ". These calls are made up." : ""}`)}
${item("Completeness", run === null ? "No sync has finished yet." : `Run ${run.run_id}: ${run.verdict}. ${capitalized(toPrintable(run.verdict_reason ?? ""))}.`)}
${caveats === undefined ? "" : item("In doubt", describeCaveats(manifest).join(" "))}
${item("Order of the list", basis.order ?? "not known yet")}
${item("Freshness", `${run === null ? "No sync has finished" : `Last sync ended ${minuteOf(run.finished_at, timezone)}`}; newest call ${minuteOf(basis.newest_call, timezone)}.`)}
${item("Calls in the copy", `${formatCount(basis.calls)}${total}.`)}
${item("Provisional", range.provisional ? "Yes: late transcripts and corrections may still change figures of the latest days." : "No: the time for late transcripts and corrections has passed.")}
${compared_with?.begins_before_first_call ? item("Stretch before", "It begins before the first call in the copy: its figures are too low, and the changes too high.") : ""}
${item("Rejected rows", basis.rejected === 0 ? "None." : `${formatQuantity(basis.rejected, "row")} could not be read and are in no figure: see calltally status.`)}
${item("Drift", basis.drift.length === 0 ? "None: all members of calls are as documented." : `${formatQuantity(basis.drift.length, "member")} not as documented: ${toPrintable(basis.drift.slice(0, 5).join(", "))}.`)}
${item(
  "Rules",
  html`<ul><li>Answered: ${toPrintable(rules.answered.join(", "))}</li><li>Missed: ${toPrintable(rules.missed.join(", "))}</li><li>Qualified: answered, ${rules.qualified_seconds} seconds or longer; the service's durations are read as ${rules.duration_unit}</li><li>Channels: ${rules.channels}; ${formatQuantity(rules.aliases, "alias").replace(/ss$/, "ses")}</li></ul>`,
)}
${item("Fingerprint", html`<code>${fingerprint}</code>, as in <code>manifest.json</code>: two sets of files with the same one show the same figures.`)}
</dl>`;
}

/** A moment as the clocks of the zone showed it, to the minute. */
function minuteOf(time: string | null, timezone: string): string {
  if (time === null) return "never";
  const { local, offset } = localTime(timezone)(time);
  return `${local.slice(0, "YYYY-MM-DD HH:MM".length)} (UTC${offset === "+00:00" ? "" : offset})`;
}
