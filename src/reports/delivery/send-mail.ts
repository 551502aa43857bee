import { Readable } from "node:stream";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { z } from "zod";
import { AlreadyTakenError, type AttemptContext, type AttemptOutcome, quote } from "./attempt.ts";
import type { MailMessage } from "./mail-message.ts";
import type { SmtpServer } from "./smtp-url.ts";

/** Timeouts for the steps of a transaction. */
export interface MailTimeouts {
  /** For connecting, the greeting and TLS. */
  connectMs: number;
  /** Without a byte from the server; RFC 5321 § 4.5.3.2 has 10 minutes for the reply to a message. */
  idleMs: number;
  /** For everything, however slowly the server sends. */
  totalMs: number;
}

const MAIL_TIMEOUTS: MailTimeouts = { connectMs: 30_000, idleMs: 300_000, totalMs: 900_000 };

const CHUNK_BYTES = 64 * 1024;
const CLOSE_MS = 1000;

/** For a check that sends nothing. */
const CHECK_TIMEOUTS: MailTimeouts = { connectMs: 10_000, idleMs: 10_000, totalMs: 20_000 };

/** Claims before the end of the message: until then nothing can have arrived. @throws AlreadyTakenError */
export async function sendMail(
  server: SmtpServer,
  { bytes, envelope }: MailMessage,
  { signal, claim, isClaimed }: AttemptContext,
  timeouts: MailTimeouts = MAIL_TIMEOUTS,
): Promise<AttemptOutcome> {
  using session = openSession(server, { signal, timeouts });
  const { connection, step } = session;
  try {
    await session.connect();
    // The last response is to EHLO. Without SMTPUTF8 (RFC 6531) the library would send such an address anyway.
    const isAscii = [envelope.from, ...envelope.to].every((address) => /^\p{ASCII}*$/u.test(address));
    if (!isAscii && !/[ -]SMTPUTF8\b/i.test(String(connection.lastServerResponse))) {
      connection.quit();
      const problem = "it accepts only ASCII addresses (no SMTPUTF8)";
      return { kind: "refused", error: `Cannot send mail by ${placeOf(server)}: ${problem}` };
    }
    await session.logIn();
    const message = Readable.from(inChunks(bytes, claim), { objectMode: false });
    await step((done) => connection.send({ ...envelope, size: bytes.length }, message, done));
    connection.quit();
    return { kind: "delivered" };
  } catch (error) {
    if (error instanceof AlreadyTakenError) throw error;
    return toFailure(error, server, isClaimed());
  }
}

/** Connects and logs in without sending. Returns what fails; undefined if nothing does. */
export async function probeServer(
  server: SmtpServer,
  { signal, timeouts = CHECK_TIMEOUTS }: { signal: AbortSignal; timeouts?: MailTimeouts },
): Promise<string | undefined> {
  using session = openSession(server, { signal, timeouts });
  try {
    await session.connect();
    await session.logIn();
    session.connection.quit();
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return toFailure(error, server, false).error;
  }
}

function openSession(
  server: SmtpServer,
  { signal, timeouts }: { signal: AbortSignal; timeouts: MailTimeouts },
) {
  const connection = new SMTPConnection(toOptions(server, timeouts));
  const stop = AbortSignal.any([signal, AbortSignal.timeout(timeouts.totalMs)]);
  const interrupted = Promise.withResolvers<never>();
  interrupted.promise.catch(() => undefined); // it may reject when nobody waits for it
  connection.on("error", interrupted.reject);
  const onStop = () => interrupted.reject(stop.reason);
  stop.addEventListener("abort", onStop, { once: true });
  const step = async (start: (done: (error?: Error | null) => void) => void): Promise<void> => {
    const done = new Promise<void>((resolve, reject) =>
      start((error) => (error ? reject(error) : resolve())),
    );
    await Promise.race([interrupted.promise, done]);
  };
  const { login } = server;
  return {
    connection,
    step,
    connect: async () => {
      stop.throwIfAborted();
      await step((done) => connection.connect(done));
    },
    logIn: async () => {
      if (login === undefined) return;
      await step((done) => connection.login({ user: login.user, pass: login.password }, done));
    },
    [Symbol.dispose]: () => {
      stop.removeEventListener("abort", onStop);
      connection.close();
    },
  };
}

function placeOf({ host, port }: SmtpServer): string {
  return `${host}:${port}`;
}

function toOptions(server: SmtpServer, { connectMs, idleMs }: MailTimeouts) {
  return {
    host: server.host,
    port: server.port,
    secure: server.isImplicitTls,
    requireTLS: !server.isLocal && !server.isImplicitTls,
    tls: { rejectUnauthorized: !server.isLocal },
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: idleMs,
    socketCloseTimeout: CLOSE_MS,
  };
}

/** Yields the message, and ends only after `claim`, because the line that ends it is sent then. */
function* inChunks(message: Buffer, claim: () => void): Generator<Buffer> {
  for (let at = 0; at < message.length; at += CHUNK_BYTES) yield message.subarray(at, at + CHUNK_BYTES);
  claim();
}

const smtpError = z.object({
  message: z.string(),
  code: z.string().optional().catch(undefined),
  /** The server's own words, with its code. */
  response: z.string().optional().catch(undefined),
  responseCode: z.number().optional().catch(undefined),
});

/** Errors that would repeat, though the server has not said so. */
const FINAL_CODES = new Set(["EAUTH", "EENVELOPE", "EMESSAGE"]);

function toFailure(
  error: unknown,
  server: SmtpServer,
  isClaimed: boolean,
): Exclude<AttemptOutcome, { kind: "delivered" }> {
  const { code, message, response, responseCode } = smtpError.parse(error);
  const place = placeOf(server);
  const secrets = secretsOf(server);
  if (responseCode !== undefined && response !== undefined) {
    const refusal = `${place} said: ${quote(response, secrets)}`;
    return { kind: responseCode >= 500 ? "refused" : "temporary", error: refusal };
  }
  const problem = quote(message, secrets);
  if (isClaimed) {
    return { kind: "unknown", error: `No reply from ${place} after sending the message: ${problem}` };
  }
  const isFinal = FINAL_CODES.has(code ?? "") || /certificate|altname/i.test(message);
  return { kind: isFinal ? "refused" : "temporary", error: `Cannot send mail by ${place}: ${problem}` };
}

/** The password as it is, and as it is sent. */
function secretsOf({ login }: SmtpServer): string[] {
  if (login === undefined) return [];
  const { user, password } = login;
  const encoded = [password, `\0${user}\0${password}`].map((text) => Buffer.from(text).toString("base64"));
  return [password, ...encoded];
}
