import { UsageError } from "../base/errors.ts";
import type { RecipientContent } from "../config/file-schema.ts";
import type { Path } from "../config/yaml-source.ts";
import type { ReportOfFile } from "./report.ts";

export interface Recipient {
  content: RecipientContent;
  /** Returns a position such as `calltally.yaml:12:5: reports.weekly.deliver[0].email`. */
  placeOf: (...path: Path) => string;
}

/**
 * Returns who gets a report: its own recipients and, with `to: account`, those of the account.
 * @throws UsageError if the account has none
 */
export function recipientsOf({ name, content, file }: ReportOfFile, account: string | null): Recipient[] {
  const at = (place: Path) => ({ placeOf: (...path: Path) => file.placeOf([...place, ...path]) });
  return (content.deliver ?? []).flatMap(({ to, ...recipient }, index): Recipient[] => {
    const place = ["reports", name, "deliver", index];
    if (to === undefined) return [{ content: recipient, ...at(place) }];
    const { recipients = [] } = (account !== null && file.content.accounts?.[account]) || {};
    if (recipients.length === 0) {
      throw new UsageError(`${file.placeOf([...place, "to"])}: the account has no recipients`, {
        hint: "Add recipients: below the account, or name them in the report.",
      });
    }
    return recipients.map((each, nth) => ({
      content: each,
      ...at(["accounts", String(account), "recipients", nth]),
    }));
  });
}

/** @throws UsageError if none of the reports has recipients */
export function assertRecipients(reports: readonly ReportOfFile[]): void {
  if (reports.some(({ content }) => content.deliver !== undefined)) return;
  const names = reports.map(({ name }) => name).join(", ");
  const file = reports[0]?.file.name ?? "calltally.yaml";
  throw new UsageError(
    `Cannot deliver ${names}: ${reports.length === 1 ? "it has" : "they have"} no recipients in ${file}`,
    {
      hint: "Nothing was made or sent. Add `deliver` to a report, or leave out --deliver.",
    },
  );
}
