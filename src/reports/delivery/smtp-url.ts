import parseAddresses from "nodemailer/lib/addressparser";
import { isLoopback } from "../../base/loopback.ts";
import { isMailAddress } from "../../config/setting-parsers.ts";

export type SmtpServer = ReturnType<typeof parseSmtpUrl>;

export interface MailAddress {
  /** Empty if there is none. */
  name: string;
  address: string;
}

/** Ports of submission (RFC 6409) and of submission over TLS (RFC 8314). */
const [SUBMISSION, SUBMISSIONS] = [587, 465];

/**
 * Reads `smtp://user:password@host:587?from=Calls%20<calls@northwind.example>`, with STARTTLS required except on this
 * machine; or `smtps://…`, TLS from the start. Without `from` the user is the sender.
 * @param sender overrides it
 * @throws Error that says what is wrong, without the URL, which contains a password
 */
export function parseSmtpUrl(text: string, sender?: string) {
  const url = URL.parse(text);
  if (url === null) throw new Error("is not a URL such as smtps://user:password@mail.northwind.example");
  if (url.protocol !== "smtp:" && url.protocol !== "smtps:") {
    throw new Error("must start with smtp:// (STARTTLS) or smtps:// (TLS from the start)");
  }
  if (url.hostname === "") throw new Error("has no host");
  if (!/^\/?$/.test(url.pathname) || url.hash) throw new Error("must have neither path nor fragment");
  const unknown = [...url.searchParams.keys()].filter((name) => name !== "from");
  if (unknown.length > 0) throw new Error("may have no parameter except from");
  const [user, password] = [decode(url.username), decode(url.password)];
  if ((user === "") !== (password === "")) throw new Error("must have both user and password, or neither");
  const isImplicitTls = url.protocol === "smtps:";
  return {
    host: url.hostname.replace(/[[\]]/g, ""),
    port: url.port === "" ? (isImplicitTls ? SUBMISSIONS : SUBMISSION) : Number(url.port),
    /** Whether TLS starts at once (smtps), not by STARTTLS. */
    isImplicitTls,
    /** This machine: TLS and a trusted certificate are not required. */
    isLocal: isLoopback(url.hostname),
    login: user === "" ? undefined : { user, password },
    from: parseSender(sender ?? url.searchParams.get("from") ?? user),
  };
}

function parseSender(text: string): MailAddress {
  if (text === "") throw new Error("must name the sender: add ?from=calls@northwind.example");
  // The parser would drop line breaks.
  const [sender, ...more] = /\p{Cc}/u.test(text) ? [] : parseAddresses(text, { flatten: true });
  if (sender === undefined || more.length > 0 || !isMailAddress(sender.address)) {
    throw new Error("must name the sender, as one address: add ?from=calls@northwind.example");
  }
  return { name: sender.name, address: sender.address };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("has an invalid % in user or password: write it as %25");
  }
}
