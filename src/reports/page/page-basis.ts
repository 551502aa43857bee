import { html } from "hono/html";
import { hoursInWords } from "../../base/calendar/opening-hours.ts";
import { capitalized } from "../../base/text/capitalized.ts";
import { toPrintable } from "../../base/text/printable.ts";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import { judgeCompleteness, minuteOf } from "../../export/completeness.ts";
import { sentencesOnSpend } from "../../export/described-spend.ts";
import type { Html } from "../../export/letterhead/page-parts.ts";
import { doubtsOf, say, saySome } from "../../export/statements/statements.ts";
import { originInWords } from "../../warehouse/origin.ts";
import type { Report } from "./report-figures.ts";

export function verdictLine({ manifest, coverage }: Report): Html {
  const { statements } = manifest;
  const { isProven, claim, reasons } = judgeCompleteness(manifest, coverage);
  const sentences = [
    ...doubtsOf(statements).map((doubt) => say(doubt).text),
    ...reasons,
    ...saySome(
      statements.filter(({ level }) => level !== "doubt"),
      "see below",
    ),
  ];
  return html`<p class="verdict${isProven ? "" : " doubt"}"><strong>${claim}</strong> ${toPrintable(sentences.join(" "))} <a href="#basis">What these figures are based on</a></p>`;
}

export function basisSection({ coverage, manifest, fingerprint }: Report): Html {
  const { run, origin, rules, timezone, statements, certificate } = manifest;
  const item = (name: string, text: Html | string) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`;
  const total = coverage.total === null ? "" : `; the service counted ${formatCount(coverage.total)}`;
  return html`<h2 id="basis">What these figures are based on</h2>
<dl class="basis">
${item("The copy is", toPrintable(originInWords(origin)))}
${item("Completeness", run === null ? "No sync has finished yet." : `Run ${run.run_id}: ${run.verdict}. ${capitalized(toPrintable(run.verdict_reason ?? ""))}.`)}
${certificate === undefined ? "" : item("Certificate", html`<code>${certificate.sha256}</code>, of run ${certificate.run_id}, ${minuteOf(certificate.made_at, timezone)}: <code>calltally verify</code> checks it.`)}
${statements.length === 0 ? "" : item("To know", html`<ul>${statements.map((each) => html`<li>${capitalized(each.level)}: ${toPrintable(say(each).text)}</li>`)}</ul>`)}
${item("Order of the list", coverage.order ?? "not known yet")}
${item("Freshness", `${run === null ? "No sync has finished" : `Last sync ended ${minuteOf(run.finished_at, timezone)}`}; newest call ${minuteOf(coverage.newest_call, timezone)}.`)}
${item("Calls in the copy", `${formatCount(coverage.calls)}${total}.`)}
${manifest.spend === undefined ? "" : item("Spend", toPrintable(sentencesOnSpend(manifest.spend, timezone).join(" ")))}
${item("Drift", coverage.drift.length === 0 ? "None: all members of calls are as documented." : `${formatQuantity(coverage.drift.length, "member")} not as documented: ${toPrintable(coverage.drift.slice(0, 5).join(", "))}.`)}
${item(
  "Rules",
  html`<ul><li>Answered: ${toPrintable(rules.answered.join(", "))}</li><li>Missed: ${toPrintable(rules.missed.join(", "))}</li><li>Qualified: answered, ${rules.qualified_seconds} seconds or longer${rules.topics === 0 ? "" : html`, unless the topic decides, by ${formatQuantity(rules.topics, "line")}`}; the service's durations are read as ${rules.duration_unit}</li>${rules.hours === undefined ? "" : html`<li>Opening hours: ${hoursInWords(rules.hours)}</li>`}<li>Channels: ${rules.own_channels === 0 ? "" : `${formatQuantity(rules.own_channels, "own line")}, then `}${rules.channels}; ${formatQuantity(rules.aliases, "alias", "aliases")}</li></ul>`,
)}
${item("Fingerprint", html`<code>${fingerprint}</code>, as in the <code>manifest.json</code> of a folder: reports with the same one are based on the same sync, days, filter, rules and sums.`)}
</dl>`;
}
