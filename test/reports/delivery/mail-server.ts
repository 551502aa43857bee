import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { SMTPServer, type SMTPServerDataStream } from "smtp-server";
import { selfSigned } from "../../support/services/certificate.ts";

export const IDENTITY = selfSigned("localhost");
export const LOGIN = { user: "calls@example.com", password: "pass-word-17" };

/** A mail that the server has accepted. */
export interface TakenMail {
  from: string;
  /** With domains in Unicode, in any notation. */
  to: string[];
  raw: string;
  isSecure: boolean;
  user: string | undefined;
  /** Whether it was announced with addresses beyond ASCII (RFC 6531). */
  isUtf8: boolean;
}

/** An SMTP code that refuses; undefined accepts. */
type Reply = number | undefined;

export interface MailServerOptions {
  /** @default false */
  lacksTls?: boolean;
  /** Accepts only ASCII addresses. @default false */
  lacksUtf8?: boolean;
  /** The bytes of a message that it accepts, which it announces. @default any */
  maxBytes?: number;
  /** TLS from the start. @default false */
  isImplicitTls?: boolean;
  /** Requires the login above. @default false */
  needsLogin?: boolean;
  onConnect?: () => Reply | Promise<Reply>;
  onRcpt?: (address: string) => Reply | Promise<Reply>;
  /** At the start of a message. */
  onData?: (stream: SMTPServerDataStream) => void;
  /** When the whole message has arrived, before it is accepted. */
  onMessage?: (to: string) => Reply | Promise<Reply>;
  /** When a client says goodbye, or is gone. */
  onClose?: () => void;
}

export interface MailServer extends AsyncDisposable {
  readonly port: number;
  readonly taken: TakenMail[];
  /** Immediately ends every connection with a reset. */
  cut: () => void;
}

/** Starts a real SMTP server on 127.0.0.1, with a self-signed certificate for localhost. */
export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const taken: TakenMail[] = [];
  const reply = async (work: () => Reply | Promise<Reply>, done: (error?: Error | null) => void) => {
    const code = await work();
    done(typeof code === "number" ? refusal(code) : null);
  };
  const server = new SMTPServer({
    ...IDENTITY,
    logger: false,
    secure: options.isImplicitTls ?? false,
    authOptional: !options.needsLogin,
    disabledCommands: [...(options.needsLogin ? [] : ["AUTH"]), ...(options.lacksTls ? ["STARTTLS"] : [])],
    hideSMTPUTF8: options.lacksUtf8 ?? false,
    ...(options.maxBytes !== undefined && { size: options.maxBytes }),
    closeTimeout: 100,
    onAuth({ username, password }, _session, done) {
      const isRight = username === LOGIN.user && password === LOGIN.password;
      const sent = [`${password}`, `\0${username}\0${password}`].map((text) =>
        Buffer.from(text).toString("base64"),
      );
      done(isRight ? null : refusal(535, `no such login: ${[password, ...sent].join()}`), { user: username });
    },
    onConnect: (_session, done) => void reply(async () => await options.onConnect?.(), done),
    onRcptTo: ({ address }, _session, done) => void reply(async () => await options.onRcpt?.(address), done),
    async onData(stream, { envelope, secure, user }, done) {
      options.onData?.(stream);
      const raw = await buffer(stream).catch(() => undefined);
      if (raw === undefined) return;
      const to = envelope.rcptTo.map(({ address }) => address);
      const code = await options.onMessage?.(to.join());
      if (typeof code === "number") return done(refusal(code));
      const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
      taken.push({
        from,
        to,
        raw: raw.toString(),
        isSecure: secure,
        user: user === undefined ? undefined : String(user),
        isUtf8: envelope.smtpUtf8 ?? false,
      });
      done();
    },
    onClose: () => options.onClose?.(),
  });
  server.on("error", () => undefined); // clients that are cut off are what is tested
  const listener = server.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("The mail server has no port");
  return {
    port: address.port,
    taken,
    cut: () => {
      for (const connection of server.connections) connection._socket.destroy();
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function refusal(code: number, message = code < 500 ? "come back later" : "no, never"): Error {
  return Object.assign(new Error(message), { responseCode: code });
}

/** Returns the text of the first part of this type in a mail. */
export function readPart({ raw }: TakenMail, type: "text/plain" | "text/html"): string {
  for (const part of raw.split(/^--[^\r\n]+\r?\n/m)) {
    const [head = "", ...rest] = part.split("\r\n\r\n");
    if (!head.includes(`Content-Type: ${type}`)) continue;
    const body = rest.join("\r\n\r\n");
    if (/encoding: base64/i.test(head)) return Buffer.from(body, "base64").toString();
    if (!/encoding: quoted-printable/i.test(head)) return body;
    const bytes = body
      .replace(/=\r\n/g, "")
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return Buffer.from(bytes, "latin1").toString();
  }
  throw new Error(`The mail has no part ${type}`);
}
