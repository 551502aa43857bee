import { EXIT } from "../../base/errors.ts";
import type { CalltallyFile } from "../../config/calltally-file.ts";
import { parseSecretFile } from "../../config/files/secret-file.ts";
import { probeServer } from "../../reports/delivery/send-mail.ts";
import { parseSmtpUrl, type SmtpServer } from "../../reports/delivery/smtp-url.ts";
import { type Check, fail, failBy, ok } from "./check.ts";

const NAME = "mail server";

/** A sender for the check: a report may name its own. */
const EXAMPLE_SENDER = "calls@northwind.example";

/** Returns the mail server of a file; undefined if it has none. @throws UsageError for an unusable one */
export function readMailServer(file: CalltallyFile): SmtpServer | undefined {
  const { smtp_url_file: smtp } = file.content;
  if (smtp === undefined) return undefined;
  const parse = (text: string) => parseSmtpUrl(text, EXAMPLE_SENDER);
  return parseSecretFile(file.resolvePath(smtp), file.placeOf(["smtp_url_file"]), parse);
}

/** Connects to the mail server and logs in, without sending. */
export async function checkMail(file: CalltallyFile | undefined, signal: AbortSignal): Promise<Check[]> {
  if (file === undefined) return [];
  let server: SmtpServer | undefined;
  try {
    server = readMailServer(file);
  } catch (thrown) {
    return [failBy(thrown, NAME)];
  }
  if (server === undefined) return [];
  const problem = await probeServer(server, { signal });
  if (problem === undefined) return [ok(NAME, `${server.host}:${server.port} responds`)];
  const hint = `No report is mailed. Start the server, or correct ${file.content.smtp_url_file}.`;
  return [fail(EXIT.unreachable, NAME, problem, hint)];
}
