import { localMinute } from "../../../../base/calendar/local-time.ts";
import { toPrintable } from "../../../../base/text/printable.ts";
import { say } from "../../../../export/statements/statements.ts";
import { toCommand, toReport, whyNoCommand } from "../command.ts";
import { titleOf } from "../format.ts";
import { statementsOfView } from "../view-statements.ts";
import type { PartProps } from "./part.ts";

export function Basis({
  source,
  answers: { view },
  isUndamaged,
}: PartProps & { isUndamaged: boolean | undefined }) {
  const { facts } = source;
  const statements = statementsOfView(source, view);
  const { warehouse, timezone } = facts;
  const { run, certificate } = warehouse;
  const light =
    isUndamaged === undefined
      ? "Not checked here: this browser computes no hashes for pages opened like this."
      : isUndamaged
        ? "Undamaged: its calls have the hash that the page names."
        : "Damaged: its calls do not have the hash that the page names. Get the file again.";
  return (
    <section>
      <h2>Make the same table</h2>
      <SameTable facts={facts} view={view} />
      <h2 id="basis">What these figures are based on</h2>
      <dl class="basis">
        <dt>This file</dt>
        <dd class={isUndamaged === false ? "doubt" : ""}>
          <span
            class={`light ${isUndamaged === undefined ? "" : isUndamaged ? "good" : "bad"}`}
            aria-hidden="true"
          />
          {light} That it is as it was exported, only <code>calltally verify explore.html</code> can say.
        </dd>
        <dt>Completeness</dt>
        <dd>
          {run === null
            ? "No sync has finished."
            : `Run ${run.run_id}, ${run.finished_at === null ? "" : localMinute(run.finished_at, timezone)}: ${run.verdict}. ${toPrintable(run.verdict_reason ?? "")}`}
        </dd>
        {certificate && (
          <>
            <dt>Certificate</dt>
            <dd>
              <code>{certificate.sha256}</code>, of run {certificate.run_id}
            </dd>
          </>
        )}
        {statements.length > 0 && (
          <>
            <dt>To know</dt>
            <dd>
              <ul>
                {statements.map((statement) => (
                  <li key={statement.id}>
                    {titleOf(statement.level)}: {toPrintable(say(statement).text)}
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
        <dt>Fingerprint</dt>
        <dd>
          <code>{facts.fingerprint}</code>
        </dd>
      </dl>
    </section>
  );
}

/** The command, and the report of calltally.yaml, that make the table of the view. */
function SameTable({ facts, view }: Pick<PartProps["source"], "facts"> & Pick<PartProps["answers"], "view">) {
  const why = whyNoCommand(facts, view);
  if (why !== undefined) return <p>No command makes this table: {why}.</p>;
  const options = toCommand(facts, view).split(/(?<= )(?=--)/);
  return (
    <>
      <h3>As command</h3>
      <pre id="command">
        {options.map((option) => (
          <span key={option} class="option">
            {option}
          </span>
        ))}
      </pre>
      <h3>As report, for calltally.yaml</h3>
      <pre id="report">{toReport(facts, view)}</pre>
    </>
  );
}
