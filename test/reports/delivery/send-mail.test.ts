import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { describe, expect, it } from "vitest";
import { readDeliveries } from "../../../src/reports/delivery/delivery-table.ts";
import { type MailTimeouts, probeServer } from "../../../src/reports/delivery/send-mail.ts";
import { LONGEST_MS, withEnoughTime } from "../../support/enough-time.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { IDENTITY, LOGIN, type MailServerOptions, startMailServer } from "./mail-server.ts";
import { emailTo, makeRun, send, smtpAt, writeReportFile } from "./report.ts";

const never = () => new Promise<undefined>(() => undefined);

/** Delivers a report to one address through a server with this behaviour. */
async function mailBy(options: MailServerOptions, other: Parameters<typeof smtpAt>[1] = {}) {
  using run = makeRun();
  const clock = new FakeClock();
  await using server = await startMailServer(options);
  const [result] = await send(run, [emailTo(["ann@example.com"], smtpAt(server.port, other))], { clock });
  return { ...result, taken: server.taken, sleeps: clock.sleeps };
}

describe("deliver by e-mail", () => {
  it("sends by STARTTLS with a login, one mail to each address, and records each in the ledger", async () => {
    using run = makeRun();
    await using server = await startMailServer({ needsLogin: true });
    const target = emailTo(["ann@example.com", "bob@example.com"], smtpAt(server.port, { login: LOGIN }));
    const results = await send(run, [target]);
    const sent = { channel: "email", status: "delivered", attempts: 1, last_error: null };
    expect(results).toEqual(target.to.map((recipient) => ({ ...sent, recipient })));
    const login = { from: "calls@example.com", isSecure: true, user: LOGIN.user, isUtf8: false };
    const taken = server.taken.map(({ raw: _, ...mail }) => mail);
    expect(taken.toSorted((a, b) => a.to.join().localeCompare(b.to.join()))).toEqual(
      target.to.map((address) => ({ ...login, to: [address] })),
    );
    const message_id = expect.stringMatching(/^<[0-9a-f]{32}@example\.com>$/);
    expect(readDeliveries(run.warehouse, run.runId)).toMatchObject(
      target.to.map((recipient) => ({ recipient, status: "delivered", message_id })),
    );
    const raw = server.taken.find(({ to }) => to.includes("bob@example.com"))?.raw;
    expect(raw).toContain(`Message-ID: ${readDeliveries(run.warehouse, run.runId)[1]?.message_id}`);
    expect(raw).toContain("Subject: Calls, week 2026-W46");
  });

  it("sends to a non-ASCII address with SMTPUTF8, and to an ASCII one of an IDN domain like any other", async () => {
    using run = makeRun();
    await using server = await startMailServer();
    const to = ["änn@bücher.example", "ann@bücher.example"];
    const from = { name: "Anrufe", address: "calls@bücher.example" };
    const results = await send(run, [emailTo(to, smtpAt(server.port, { from }))]);
    expect(results).toMatchObject([{ status: "delivered" }, { status: "delivered" }]);
    const taken = server.taken.toSorted((a, b) => Number(b.isUtf8) - Number(a.isUtf8));
    expect(taken).toMatchObject([
      { to: ["änn@bücher.example"], isUtf8: true, raw: expect.stringContaining("änn@bücher.example") },
      { to: ["ann@bücher.example"], isUtf8: false, raw: expect.stringMatching(/^\p{ASCII}*$/u) },
    ]);
  });

  it("skips non-ASCII addresses on a server without SMTPUTF8, and sends to the others without retry", async () => {
    using run = makeRun();
    await using server = await startMailServer({ lacksUtf8: true, needsLogin: true });
    const smtp = smtpAt(server.port, { login: LOGIN });
    const results = await send(run, [emailTo(["änn@example.com", "bob@bücher.example"], smtp)]);
    expect(results).toMatchObject([
      {
        recipient: "änn@example.com",
        status: "failed",
        attempts: 1,
        last_error: `Cannot send mail by localhost:${server.port}: it accepts only ASCII addresses (no SMTPUTF8)`,
      },
      { recipient: "bob@bücher.example", status: "delivered" },
    ]);
    expect(server.taken.map(({ to }) => to)).toEqual([["bob@bücher.example"]]);
  });

  it("sends one mail when two calls run at the same time", async () => {
    using run = makeRun();
    await using server = await startMailServer();
    const target = emailTo(["ann@example.com"], smtpAt(server.port));
    const results = await Promise.all([send(run, [target]), send(run, [target])]);
    expect(server.taken).toHaveLength(1);
    expect(results.flat().map(({ status }) => status)).toContain("delivered");
    expect(readDeliveries(run.warehouse, run.runId)).toMatchObject([
      { status: "delivered", last_error: null },
    ]);
  });

  it("accepts a certificate that the system trusts if TLS is required", async () => {
    const trusted = getCACertificates();
    setDefaultCACertificates([...trusted, IDENTITY.cert]);
    try {
      const mail = await mailBy({}, { isLocal: false });
      expect(mail).toMatchObject({ status: "delivered", taken: [{ isSecure: true }] });
    } finally {
      setDefaultCACertificates(trusted);
    }
  });

  it.each([
    { step: "connecting", options: (reply: () => number | undefined) => ({ onConnect: reply }) },
    { step: "the recipient", options: (reply: () => number | undefined) => ({ onRcpt: reply }) },
    { step: "the message", options: (reply: () => number | undefined) => ({ onMessage: reply }) },
  ])("retries after a temporary refusal of $step, and sends one mail", async ({ options }) => {
    const replies = [421, 451];
    const mail = await mailBy(options(() => replies.shift()));
    expect(mail).toMatchObject({ status: "delivered", attempts: 3, last_error: null, sleeps: [1000, 2000] });
    expect(mail.taken).toHaveLength(1);
  });

  it("does not retry what is larger than the server accepts, or refused with 500", async () => {
    const large = await mailBy({ maxBytes: 1000 });
    expect(large).toMatchObject({ status: "failed", attempts: 1, taken: [] });
    expect(large.last_error).toMatch(/: Message size larger than allowed 1000$/);
    expect(await mailBy({ onRcpt: () => 500 })).toMatchObject({ status: "failed", attempts: 1 });
  });

  it("does not retry after a permanent refusal, which stops no other recipient", async () => {
    using run = makeRun();
    await using server = await startMailServer({
      onRcpt: (address) => (address === "ann@example.com" ? 550 : undefined),
    });
    const results = await send(run, [emailTo(["ann@example.com", "bob@example.com"], smtpAt(server.port))]);
    expect(results).toMatchObject([
      {
        recipient: "ann@example.com",
        status: "failed",
        attempts: 1,
        last_error: expect.stringMatching(/550 no, never$/),
      },
      { recipient: "bob@example.com", status: "delivered", last_error: null },
    ]);
    expect(server.taken.map(({ to }) => to)).toEqual([["bob@example.com"]]);
  });

  it("retries when the connection is lost within the message, and sends one mail", async () => {
    let cuts = 0;
    using run = makeRun();
    const bytes = Buffer.alloc(12_000_000, "x");
    const server = await startMailServer({ onData: () => void (cuts++ === 0 && server.cut()) });
    await using _server = server;
    const large = writeReportFile(run.folder, "large.bin", bytes);
    const target = emailTo(["ann@example.com"], smtpAt(server.port));
    const results = await send({ ...run, summary: { ...run.summary, files: [large] } }, [target]);
    expect(results).toMatchObject([{ status: "delivered", attempts: 2 }]);
    expect(server.taken).toHaveLength(1);
  });

  it("records an unknown outcome when the connection is lost after a mail, and does not repeat it unless requested", async () => {
    let cuts = 0;
    using run = makeRun();
    const server = await startMailServer({
      onMessage: () => {
        if (cuts++ === 0) server.cut();
      },
    });
    await using _server = server;
    const target = emailTo(["ann@example.com"], smtpAt(server.port));
    const unknown = {
      status: "outcome unknown",
      attempts: 1,
      last_error: expect.stringMatching(/^No reply from localhost:\d+ after sending the message: /),
    };
    expect(await send(run, [target])).toMatchObject([unknown]);
    expect(await send(run, [target])).toMatchObject([unknown]);
    expect(server.taken).toHaveLength(1);
    run.warehouse.sqlite.exec("UPDATE deliveries SET status = 'pending'");
    expect(await send(run, [target])).toMatchObject([{ status: "delivered", attempts: 2 }]);
    const ids = server.taken.map(({ raw }) => /^Message-ID: (.*)\r$/m.exec(raw)?.[1]);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it.each<
    [step: string, options: MailServerOptions, times: keyof MailTimeouts, attempts: number, says: string]
  >([
    ["at the greeting", { onConnect: never }, "connectMs", 3, "Greeting never received"],
    ["after the message", { onMessage: never }, "idleMs", 1, "Timeout"],
    ["after the message, in total", { onMessage: never }, "totalMs", 1, "timeout"],
  ])("gives up on a server that is silent %s", async (_step, options, times, attempts, says) => {
    const status = attempts === 1 ? "outcome unknown" : "failed";
    const patient = { connectMs: LONGEST_MS, idleMs: LONGEST_MS, totalMs: LONGEST_MS };
    await withEnoughTime(50, async (ms) => {
      using run = makeRun();
      let messages = 0;
      const onMessage = () => {
        messages++;
        return options.onMessage?.("");
      };
      await using server = await startMailServer({ ...options, onMessage });
      const target = emailTo(["ann@example.com"], smtpAt(server.port));
      const [result] = await send(run, [{ ...target, timeouts: { ...patient, [times]: ms } }]);
      // With too little time the first attempt, or each, fails at an earlier step.
      const isEarly =
        times === "connectMs"
          ? !/Greeting/.test(`${result?.last_error}`)
          : result?.attempts !== 1 && messages <= 1;
      if (isEarly) return undefined;
      expect(result).toMatchObject({ status, attempts, last_error: expect.stringContaining(says) });
      return result;
    });
  });

  it("does not send without TLS or to an untrusted certificate, except to this machine", async () => {
    const far = { isLocal: false };
    expect(await mailBy({ lacksTls: true }, far)).toMatchObject({ status: "failed", taken: [] });
    for (const isImplicitTls of [true, false]) {
      const mail = await mailBy({ isImplicitTls }, { ...far, isImplicitTls });
      expect(mail).toMatchObject({
        status: "failed",
        attempts: 1,
        taken: [],
        last_error: expect.stringContaining("self-signed"),
      });
      expect(await mailBy({ isImplicitTls }, { isImplicitTls })).toMatchObject({ status: "delivered" });
    }
    expect(await mailBy({ lacksTls: true })).toMatchObject({
      status: "delivered",
      taken: [{ isSecure: false }],
    });
  });

  it("fails immediately with a wrong login, and keeps the password, plain or encoded, out of the ledger", async () => {
    const login = { user: LOGIN.user, password: "wrong-word-18" };
    const mail = await mailBy({ needsLogin: true }, { login });
    expect(mail).toMatchObject({ status: "failed", attempts: 1, taken: [] });
    expect(mail.last_error).toMatch(/said: 535 no such login: \[secret\],\[secret\],\[secret\]$/);
  });
});

describe("probeServer", () => {
  const { signal } = new AbortController();
  const WRONG = { user: LOGIN.user, password: "wrong-17" };

  it("finds nothing wrong with a server that accepts the login, and sends nothing", async () => {
    await using server = await startMailServer({ needsLogin: true });
    expect(await probeServer(smtpAt(server.port, { login: LOGIN }), { signal })).toBeUndefined();
    expect(server.taken).toEqual([]);
  });

  it("says what fails: a wrong password, a server that is gone or silent", async () => {
    await using server = await startMailServer({ needsLogin: true });
    const probe = (timeouts?: MailTimeouts) =>
      probeServer(smtpAt(server.port, { login: WRONG }), { signal, ...(timeouts && { timeouts }) });
    expect(await probe()).toMatch(/^localhost:\d+ said: 535 /);
    await server[Symbol.asyncDispose]();
    expect(await probe()).toMatch(/^Cannot send mail by localhost:\d+: .*ECONNREFUSED/);

    await using silent = await startMailServer({ onConnect: never });
    const timeouts = { connectMs: LONGEST_MS, idleMs: LONGEST_MS, totalMs: 50 };
    expect(await probeServer(smtpAt(silent.port), { signal, timeouts })).toMatch(/^Cannot send mail by /);
  });
});
