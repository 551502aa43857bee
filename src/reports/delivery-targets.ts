import { UsageError } from "../base/errors.ts";
import { parseSecretFile } from "../config/files/secret-file.ts";
import type { DeliveryTarget } from "./delivery/delivery-target.ts";
import { parseHookUrl } from "./delivery/hook-body.ts";
import { parseSmtpUrl } from "./delivery/smtp-url.ts";
import type { ReportPlan } from "./plan-report.ts";
import { recipientsOf } from "./recipients.ts";
import type { NamedReport } from "./report.ts";

/** @throws UsageError that says where an unusable secret is configured */
export function toDeliveryTargets(
  report: NamedReport,
  { ask, values, personal }: Pick<ReportPlan, "ask" | "values" | "personal">,
  workingFolder: string,
): DeliveryTarget[] {
  const { content, file } = report;
  const { smtp_url_file: smtpFile } = file.content;
  const read = <T>(path: string, place: string, parse: (text: string) => T) =>
    parseSecretFile(file.resolvePath(path), place, parse);
  return recipientsOf(report, report.account).map(({ content: to, placeOf }): DeliveryTarget => {
    const { email, webhook, command } = to;
    if (personal.length > 0 && !content.personal_data && webhook === undefined) {
      throw new UsageError(
        `${placeOf(email === undefined ? "command" : "email")}: ${personal.join(", ")}: personal data is only delivered on request`,
        { hint: `Leave ${personal.join(", ")} out, or set personal_data: true in the report.` },
      );
    }
    if (
      email !== undefined &&
      content.format === "explore" &&
      !ask.contents.some(({ kind }) => kind === "page")
    ) {
      const [why, hint] =
        content.min_cell === undefined
          ? ["which needs its days", "Add a range to the report, such as range: { last: 4w }."]
          : ["which has no min_cell", "Copy the page to a shared folder with a command."];
      throw new UsageError(
        `${placeOf("email")}: in place of a page to explore, a mail has the page of charts, ${why}`,
        { hint },
      );
    }
    if (email !== undefined) {
      if (smtpFile === undefined) {
        throw new UsageError(`${placeOf("email")}: there is no smtp_url_file at the top of the file`, {
          hint: "Add smtp_url_file: with a file that holds smtps://user:password@host.",
        });
      }
      const smtp = read(smtpFile, file.placeOf(["smtp_url_file"]), (text) => parseSmtpUrl(text, email.from));
      const what = values.period === undefined ? "{report}: calls" : "{report}: calls, {period}";
      const subject = values.title === undefined ? what : `{title}, ${what}`;
      return { channel: "email", to: email.to, subject: email.subject ?? subject, smtp };
    }
    if (webhook !== undefined) {
      const url = read(webhook.url_file, placeOf("webhook", "url_file"), parseHookUrl);
      return { channel: "webhook", url };
    }
    const [program, ...args] = command ?? [];
    if (program === undefined) throw new Error("A delivery has an email, a webhook or a command");
    return { channel: "command", argv: [program, ...args], cwd: workingFolder };
  });
}
