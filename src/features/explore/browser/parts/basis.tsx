import {
  type BasisItem,
  basisSection,
  certificateItem,
  code,
  completenessItem,
  fingerprintItem,
  toKnowItem,
} from "../../../../export/sections/basis.ts";
import { element } from "../../../../export/sections/element.ts";
import { toCommand, toReport, whyNoCommand } from "../command.ts";
import { live } from "../live.ts";
import { statementsOfView } from "../view-statements.ts";
import type { PartProps } from "./part.ts";

export function Basis({
  source,
  answers: { view },
  isUndamaged,
}: PartProps & { isUndamaged: boolean | undefined }) {
  const { facts } = source;
  const { warehouse, timezone } = facts;
  return (
    <>
      <section>
        <h2>Make the same table</h2>
        <SameTable facts={facts} view={view} />
      </section>
      {live(
        basisSection([
          fileItem(isUndamaged),
          completenessItem(warehouse, timezone),
          certificateItem(warehouse.certificate, timezone),
          toKnowItem(statementsOfView(source, view)),
          fingerprintItem(facts.fingerprint),
        ]),
      )}
    </>
  );
}

function fileItem(isUndamaged: boolean | undefined): BasisItem {
  const [light, text] =
    isUndamaged === undefined
      ? ["", "Not checked here: this browser computes no hashes for pages opened like this."]
      : isUndamaged
        ? ["good", "Undamaged: its calls have the hash that the page names."]
        : ["bad", "Damaged: its calls do not have the hash that the page names. Get the file again."];
  return [
    "This file",
    element("span", { class: `light ${light}`, "aria-hidden": "true" }),
    `${text} That it is as it was exported, only `,
    code("calltally verify explore.html"),
    " can say.",
  ];
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
