import { html } from "hono/html";
import { hoursInWords } from "../../base/calendar/opening-hours.ts";
import { capitalized } from "../../base/text/capitalized.ts";
import { toPrintable } from "../../base/text/printable.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { countInWords, minuteOf } from "../../export/completeness.ts";
import { sentencesOnSpend } from "../../export/described-spend.ts";
import type { Html } from "../../export/letterhead/page-parts.ts";
import type { Manifest } from "../../export/manifest.ts";
import { say } from "../../export/statements/statements.ts";
import { originInWords } from "../../warehouse/origin.ts";
import type { Report } from "./report-figures.ts";

export function basisSection({ coverage, manifest, fingerprint }: Report): Html {
  const { run, origin, rules, timezone, statements, spend } = manifest;
  return html`<h2 id="basis">What these figures are based on</h2>
<dl class="basis">
${item("The copy is", toPrintable(originInWords(origin)))}
${item("Completeness", describeVerdict(run))}
${certificateItem(manifest)}
${statements.length === 0 ? "" : item("To know", list(statements.map(toKnow)))}
${item("Order of the list", coverage.order ?? "not known yet")}
${item("Freshness", `${describeSync(manifest)}; newest call ${minuteOf(coverage.newest_call, timezone)}.`)}
${item("Calls in the copy", `${countInWords(coverage)}.`)}
${spend === undefined ? "" : item("Spend", toPrintable(sentencesOnSpend(spend, timezone).join(" ")))}
${item("Drift", describeDrift(coverage))}
${item("Rules", list(rulesOf(rules)))}
${item("Fingerprint", html`<code>${fingerprint}</code>, as in the <code>manifest.json</code> of a folder: reports with the same one are based on the same sync, days, filter, rules and sums.`)}
</dl>`;
}

const item = (name: string, text: Html | string) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`;

const list = (items: readonly (Html | string)[]) => html`<ul>${items.map(toListItem)}</ul>`;

const toListItem = (text: Html | string) => html`<li>${text}</li>`;

const toKnow = (statement: Manifest["statements"][number]) =>
  `${capitalized(statement.level)}: ${toPrintable(say(statement).text)}`;

function describeVerdict(run: Manifest["run"]): string {
  if (run === null) return "No sync has finished yet.";
  return `Run ${run.run_id}: ${run.verdict}. ${capitalized(toPrintable(run.verdict_reason ?? ""))}.`;
}

function certificateItem({ certificate, timezone }: Manifest): Html | "" {
  if (certificate === undefined) return "";
  const { sha256, run_id, made_at } = certificate;
  return item(
    "Certificate",
    html`<code>${sha256}</code>, of run ${run_id}, ${minuteOf(made_at, timezone)}: <code>calltally verify</code> checks it.`,
  );
}

function describeSync({ run, timezone }: Manifest): string {
  return run === null ? "No sync has finished" : `Last sync ended ${minuteOf(run.finished_at, timezone)}`;
}

function describeDrift({ drift }: Report["coverage"]): string {
  if (drift.length === 0) return "None: all members of calls are as documented.";
  const names = toPrintable(drift.slice(0, 5).join(", "));
  return `${formatQuantity(drift.length, "member")} not as documented: ${names}.`;
}

function rulesOf(rules: Manifest["rules"]): Html[] {
  const { answered, missed, qualified_seconds, duration_unit, hours } = rules;
  return [
    html`Answered: ${toPrintable(answered.join(", "))}`,
    html`Missed: ${toPrintable(missed.join(", "))}`,
    html`Qualified: answered, ${qualified_seconds} seconds or longer${exceptTopics(rules)}; the service's durations are read as ${duration_unit}`,
    ...(hours === undefined ? [] : [html`Opening hours: ${hoursInWords(hours)}`]),
    html`Channels: ${describeOwnChannels(rules)}${rules.channels}; ${formatQuantity(rules.aliases, "alias", "aliases")}`,
  ];
}

const exceptTopics = ({ topics }: Manifest["rules"]) =>
  topics === 0 ? "" : `, unless the topic decides, by ${formatQuantity(topics, "line")}`;

const describeOwnChannels = ({ own_channels }: Manifest["rules"]) =>
  own_channels === 0 ? "" : `${formatQuantity(own_channels, "own line")}, then `;
